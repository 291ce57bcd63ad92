# What the scripts of the boards have in common: their arguments, the folder that `timely-hw emit` wrote, changes to a shell's files.
#
# Plain Tcl 8.5, as Vivado has it, so that tclsh runs them too. None has run in a vendor's tool, nor what they make on a board;
# hw/tests/vendor_tcl/main.rs runs them under tclsh.
package require Tcl 8.5-

namespace eval timely {
    variable options {}
    # What sources this says its name.
    variable script $::timely_script
}

# Ends with a sentence; 2 of an argument, 1 of what is found in a folder.
proc timely::stop {code sentence} {
    variable script
    puts stderr "$script: $sentence"
    exit $code
}

# Reads `-name value` pairs. `wanted` is a list of names, each with what it stands for; one that begins with `?` may be missing.
# `more` are names that are given on, unread. Gives what is given on.
proc timely::arguments {wanted {more {}}} {
    variable options
    set names [dict create]
    foreach {name meaning} $wanted { dict set names [string trimleft $name ?] $meaning }
    set all [concat [dict keys $names] $more]
    set rest {}
    foreach {name value} $::argv {
        set bare [string range $name 1 end]
        if {[string index $name 0] ne "-" || $bare ni $all} {
            stop 2 "$name is no argument; there are -[join $all { -}], each with a value"
        }
        if {$value eq ""} { stop 2 "$name has no value" }
        if {[dict exists $names $bare]} {
            dict set options $bare $value
        } else {
            lappend rest $name $value
        }
    }
    foreach {name meaning} $wanted {
        if {[string index $name 0] ne "?" && ![dict exists $options $name]} { stop 2 "-$name is missing: $meaning" }
    }
    return $rest
}

# An argument, or what it is without.
proc timely::option {name {without ""}} {
    variable options
    if {[dict exists $options $name]} { return [dict get $options $name] }
    return $without
}

# A folder that an argument names, whole; `holds` must be in it.
proc timely::folder {name holds what} {
    set path [file normalize [option $name]]
    if {![file isdirectory $path]} { stop 2 "-$name [option $name] is no folder; give $what" }
    foreach file $holds {
        if {![file exists $path/$file]} { stop 2 "-$name [option $name] has no $file; give $what" }
    }
    return $path
}

# Whether an argument is 1.
proc timely::flag {name} {
    set value [option $name 0]
    if {$value ni {0 1}} { stop 2 "-$name $value is neither 0 nor 1" }
    return $value
}

# Reads a file whole.
proc timely::read_text {path} {
    set file [open $path r]
    set text [read $file]
    close $file
    return $text
}

# Writes a file whole.
proc timely::write_text {path text} {
    set file [open $path w]
    puts -nonewline $file $text
    close $file
}

# The folder of -emitted, for `shell`: what timely.files says must be there is there, whole, and of that shell.
# Gives a dictionary of it: folder, bus, flow_bits, clock_ps, top, files.
proc timely::emitted {shell} {
    set how "give the folder that this wrote: cargo run -p timely-hw -- emit --shell $shell --out FOLDER"
    set folder [folder emitted timely.files [string range $how 5 end]]
    set about [dict create folder $folder files {}]
    foreach line [split [read_text $folder/timely.files] \n] {
        if {$line eq "" || [string index $line 0] eq "#"} { continue }
        if {[lindex $line 0] ne "file"} {
            dict set about [lindex $line 0] [lindex $line 1]
            continue
        }
        lassign $line - path bytes
        if {![file isfile $folder/$path]} { stop 1 "-emitted [option emitted] has lost $path; $how" }
        set found [file size $folder/$path]
        if {$found != $bytes} { stop 1 "-emitted [option emitted]: $path has $found bytes, and was written with $bytes; $how" }
        dict lappend about files $path
    }
    foreach key {shell bus flow_bits clock_ps top} {
        if {![dict exists $about $key]} { stop 1 "-emitted [option emitted]: timely.files says no $key; $how" }
    }
    if {[dict get $about shell] ne $shell} {
        stop 2 "-emitted [option emitted] was written for [dict get $about shell], not for $shell; $how"
    }
    return $about
}

# The Verilog files of an emission.
proc timely::verilog {about} {
    return [lsearch -all -inline -glob [dict get $about files] *.v]
}

# Makes room for `path`, which these scripts write: it must not be there, unless -replace 1 was given and `ours` says that they wrote it.
proc timely::make_room {path ours} {
    if {![file exists $path]} { return }
    if {![flag replace]} { stop 1 "$path is there already; remove it, or give -replace 1" }
    if {![file exists $path/$ours]} { stop 1 "$path was not written by this script ($ours is not in it); remove it, if it may go" }
    file delete -force $path
}

# Copies files of an emission into a folder.
proc timely::copy_files {about files to} {
    file mkdir $to
    foreach file $files { file copy -force [dict get $about folder]/$file $to/[file tail $file] }
}

# Changes the one line of a file's text that `pattern` finds; `\0` in `to` is that line.
proc timely::change_line {text path pattern to} {
    set found [regexp -all -line -- $pattern $text]
    if {$found != 1} {
        stop 1 "$path has $found lines like /$pattern/, not one: the shell is another than this script was written for"
    }
    # What is put in is no pattern: its & and backslashes stand for themselves.
    regexp -line -indices -- $pattern $text at
    set line [string range $text {*}$at]
    return [string replace $text {*}$at [string map [list \\0 $line] $to]]
}
