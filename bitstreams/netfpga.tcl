# A project of NetFPGA's with timely-nic as its datapath: a copy of the reference NIC, in a copy of NetFPGA's tree.
#
# `shell` is the emission's, `projects` the folder of projects in the tree, `changes` pairs of a pattern and a line that replaces what it finds
# in the project's script. Registers run on the datapath's clock in both shells, so that there is no path between two clocks, and no constraint.
proc timely::netfpga {shell projects changes} {
    arguments {
        emitted  "the folder that `timely-hw emit` wrote for this shell"
        shell    "a copy of NetFPGA's tree"
        ?name    "the project's name, timely_nic without"
        ?replace "1 replaces what an earlier run wrote"
    }
    set about [emitted $shell]
    set reference $projects/reference_nic
    set tree [folder shell [list $reference/hw/tcl/reference_nic.tcl $reference/hw/hdl/nf_datapath.v] "a copy of NetFPGA's tree"]
    set name [option name timely_nic]
    if {![regexp {^[A-Za-z]\w*$} $name]} { stop 2 "-name $name is no name of a project: letters, digits, _" }
    if {$name eq "reference_nic"} { stop 2 "-name reference_nic is the project that is copied; give another" }
    set to $tree/$projects/$name
    set path $tree/$reference/hw/tcl/reference_nic.tcl
    set script [read_text $path]
    foreach {pattern line} $changes { set script [change_line $script $path $pattern $line] }
    # nf_datapath.v is ours too, under the shell's own name.
    set core [lsearch -all -inline -not -exact [verilog $about] nf_datapath.v]
    set script [change_line $script $path {^read_verilog +"\./hdl/nf_datapath\.v" *$} "\\0\nread_verilog \"./hdl/$core\""]

    make_room $to hw/hdl/timely.files
    file copy $tree/$reference $to
    copy_files $about [verilog $about] $to/hw/hdl
    file copy [dict get $about folder]/timely.files $to/hw/hdl
    write_text $to/hw/tcl/reference_nic.tcl $script
    # Some of the shell's scripts look for files of the project's own name.
    foreach file [glob -directory $to/hw/tcl reference_nic*.tcl] {
        file copy $file $to/hw/tcl/[string map [list reference_nic $name] [file tail $file]]
    }
    puts "$to is written; build it as NetFPGA's guide builds reference_nic, with NF_PROJECT_NAME=$name in tools/settings.sh"
}
