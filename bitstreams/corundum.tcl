# Corundum with timely-nic as its application and its transmit scheduler: a design beside one of Corundum's own, in a copy of its tree.
#
# `designs` are pairs: a design below fpga/mqnic, as a pattern, and the bus between its core and its MACs.
# Neither block has clocks of its own or a path between two: both run on the core's clock, and need no constraints beside the design's.
proc timely::corundum {designs} {
    arguments {
        emitted  "the folder that `timely-hw emit --shell corundum` wrote"
        shell    "a copy of Corundum"
        design   "a design below its fpga/mqnic, as Alveo/fpga_100g/fpga_AU250"
        ?streams "1 wires the two blocks together by streams"
        ?replace "1 replaces what an earlier run wrote"
    }
    set about [emitted corundum]
    set shell [folder shell {fpga/mqnic fpga/app fpga/common/rtl/mqnic_core.v} "a copy of Corundum"]
    set design [string trim [option design] /]
    set bus 0
    foreach {pattern bits} $designs { if {[string match $pattern $design]} { set bus $bits } }
    set ours [dict get $about bus]
    if {$bus == 0} { stop 2 "-design $design is none of these boards'; there are [join [dict keys $designs] {, }]" }
    if {$bus != $ours} { stop 2 "-design $design has a bus of $bus bits, -emitted [option emitted] one of $ours; emit with --bus $bus" }
    set from $shell/fpga/mqnic/$design
    if {![file exists $from/Makefile] || ![file exists $from/config.tcl]} { stop 2 "-design $design: $from has no Makefile and config.tcl" }
    # Designs have a link beside them to the folder of all applications.
    set link [file dirname $from]/app
    if {[file normalize $link/timely] ne [file normalize $shell/fpga/app/timely]} {
        stop 1 "$link does not lead to $shell/fpga/app; make it a link there"
    }
    set app $shell/fpga/app/timely
    set to ${from}_app_timely

    if {![flag streams] && [string match *timely_down* [read_text $shell/fpga/common/rtl/mqnic_core.v]]} {
        stop 1 "$shell/fpga/common/rtl/mqnic_core.v is wired for streams; give -streams 1, or another copy of Corundum"
    }

    set config [read_text $from/config.tcl]
    foreach {name is} {PORTS_PER_IF 1 PTP_TS_ENABLE 1} {
        set found [parameter $config $name $from/config.tcl]
        if {$found ne $is} { stop 1 "$from/config.tcl: $name is $found, and timely-nic needs $is" }
    }
    set queues [parameter $config TX_QUEUE_INDEX_WIDTH $from/config.tcl]
    set flows [dict get $about flow_bits]
    if {$queues > $flows} {
        stop 1 "$from/config.tcl has 2^$queues transmit queues, -emitted [option emitted] 2^$flows flows; emit with --flow-bits 13, or give the design fewer"
    }
    set own [dict get $about folder]
    set config [change_line $config $from/config.tcl {^dict set params APP_STAT_ENABLE .*$} "\\0\n[read_text $own/timely.tcl]"]
    set make [read_text $from/Makefile]
    # Its place is taken by our scheduler, of the same module's name.
    set make [change_line $make $from/Makefile {^SYN_FILES \+= rtl/common/mqnic_tx_scheduler_block_rr\.v *\n} ""]
    set make [change_line $make $from/Makefile {^SYN_FILES \+?= rtl/fpga_core\.v *$} "\\0\n[string trimright [read_text $own/timely.mk]]"]

    # All designs of the copy have the one folder of the application: another that takes the same emission finds it there.
    set shared [holds $app/rtl $about]
    if {[file exists $app/timely.files] && !$shared && ![flag replace]} {
        stop 1 "$app has another emission, which the designs written before it are built from; give that one, another copy of Corundum, or\
            -replace 1, which changes them too"
    }
    make_room $to timely.files
    if {!$shared} {
        make_room $app timely.files
        copy_files $about [verilog $about] $app/rtl
        file copy $own/timely.files $app
    }
    file mkdir $to
    write_text $to/config.tcl $config
    write_text $to/Makefile $make
    file copy $own/timely.files $to
    if {[flag streams]} {
        if {[catch {exec sh $own/timely_streams.sh $shell/fpga 2>@1} said]} { stop 1 "timely_streams.sh: $said" }
        puts $said
    }
    puts "$to is written; build it: make -C $to"
}

# Whether a folder has the Verilog of an emission, before which timely_streams.sh may have put a line.
proc timely::holds {path about} {
    foreach file [verilog $about] {
        if {![file exists $path/[file tail $file]]} { return 0 }
        set fresh [read_text [dict get $about folder]/$file]
        set there [read_text $path/[file tail $file]]
        if {[string range $there end-[expr {[string length $fresh] - 1}] end] ne $fresh} { return 0 }
    }
    return 1
}

# The value of a parameter in a design's config.tcl, where it is a number.
proc timely::parameter {config name path} {
    if {![regexp -line "^dict set params $name \"?(\[0-9\]+)\"? *\$" $config - value]} {
        stop 1 "$path sets no $name: Corundum is another than this script was written for"
    }
    return $value
}
