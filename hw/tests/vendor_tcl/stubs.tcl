# tclsh stubs.tcl SCRIPT ARGUMENTS: runs a script with the vendor's commands recorded in the file of CALLS, a line each.
# CELLS, a file, has registers: a name and its clock a line, behind the clock further pins; with it constraints are answered as the vendor's tool would.
set stub_calls [open $env(CALLS) w]
rename unknown stub_unknown

proc stub_record {call} {
    puts $::stub_calls [join [split $call \n] " "]
    flush $::stub_calls
}

# What a filter of the vendor's says of a name.
proc stub_matches {filter name} {
    regsub -all {NAME =~ ([^ )]+)} $filter "\[string match {\\1} {$name}\]" filter
    regsub -all {IS_SEQUENTIAL} $filter 1 filter
    return [expr $filter]
}

proc stub_filtered {call} {
    set found {}
    set filter [lindex $call [expr {[lsearch $call -filter] + 1}]]
    foreach {name clock} $::stub_cells {
        if {[lindex $call 0] eq "get_pins"} {
            set names {}
            foreach pin [concat C [lrange $clock 1 end]] { lappend names $name/$pin }
        } else { set names [list $name] }
        foreach name $names {
            if {[stub_matches $filter $name]} { lappend found $name }
        }
    }
    return $found
}

proc unknown {args} {
    # Tcl's own libraries.
    if {[auto_load [lindex $args 0]]} { return [uplevel 1 $args] }
    switch -- [lindex $args 0] {
        get_cells - get_pins {
            if {[info exists ::stub_cells]} { return [stub_filtered $args] }
        }
        get_clocks {
            set clocks {}
            foreach pin [lindex $args end] { lappend clocks [lindex [dict get $::stub_cells [string range $pin 0 end-2]] 0] }
            return [lsort -unique $clocks]
        }
        get_files {
            # Those that were read.
            if {[lsearch -exact $::stub_read [lindex $args end]] < 0} { return {} }
            return [lindex $args end]
        }
        get_property {
            stub_record $args
            if {[info exists ::env(SLACK)]} { return $::env(SLACK) }
            return 512_bit
        }
        read_verilog - read_xdc { lappend ::stub_read [lindex $args end] }
    }
    if {[string match get_* [lindex $args 0]] || [string match current_* [lindex $args 0]]} { return [join $args _] }
    stub_record $args
    return ""
}

set stub_read {}
if {[info exists env(CELLS)]} {
    set stub_file [open $env(CELLS)]
    set stub_cells [read $stub_file]
    close $stub_file
}
set argv0 [lindex $argv 0]
set argv [lrange $argv 1 end]
set argc [llength $argv]
source $argv0
