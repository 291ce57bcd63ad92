# OpenNIC's shell with timely-nic in its 250 MHz box: runs the shell's own script/build.tcl with our plugin.
#
#   vivado -mode batch -source bitstreams/alveo/opennic.tcl -tclargs -emitted build/opennic -shell OPEN_NIC_SHELL -board au250 -impl 1
#
# Untested on hardware, and in Vivado. Written for the shell's revision 940907f. The emitted build_box_250mhz.tcl, which the shell sources, adds
# our Verilog and timely_opennic.xdc; the 322 MHz box stays the shell's own.
set timely_script opennic.tcl
source [file join [file dirname [file normalize [info script]]] .. timely.tcl]

# Boards of the shell with 8 MiB of UltraRAM for the packet store.
set timely_boards {au50 au55c au55n au200 au250 au280}
set timely_given [timely::arguments {
    emitted "the folder that `timely-hw emit --shell opennic` wrote"
    shell   "a copy of open-nic-shell"
    board   "au50, au55c, au55n, au200, au250 or au280"
} {board_repo tag overwrite rebuild jobs synth_ip impl post_impl build_timestamp min_pkt_len max_pkt_len num_queue bitstream_userid bitstream_usr_access}]
set timely_about [timely::emitted opennic]
set timely_shell [timely::folder shell {script/build.tcl src/box_250mhz/box_250mhz.sv plugin/p2p/build_box_322mhz.tcl} "a copy of open-nic-shell"]
set timely_board [timely::option board]
if {$timely_board ni $timely_boards} { timely::stop 2 "-board $timely_board is none of [join $timely_boards {, }]" }
if {![file exists $timely_shell/script/board_settings/$timely_board.tcl]} {
    timely::stop 2 "-board $timely_board: this shell has no script/board_settings/$timely_board.tcl"
}
# The shell's script would ask at the terminal.
set timely_build [expr {[dict exists $timely_given -tag] ? "${timely_board}_[dict get $timely_given -tag]" : $timely_board}]
set timely_again [expr {[dict exists $timely_given -rebuild] && [dict get $timely_given -rebuild] eq "1"}]
if {[file exists $timely_shell/build/$timely_build] && !$timely_again} {
    timely::stop 1 "$timely_shell/build/$timely_build is there from an earlier build; give -rebuild 1, or -tag with another name"
}

# The box is for one QDMA, one function and one port: the Verilog refuses others.
set argv [concat [list -board $timely_board -use_phys_func 1 -num_qdma 1 -num_phys_func 1 -num_cmac_port 1 \
    -user_plugin [dict get $timely_about folder]] $timely_given]
# The shell's own longest frame has 1,518 bytes, and one that is longer than its queues stops the port.
if {![dict exists $timely_given -max_pkt_len]} { lappend argv -max_pkt_len 9600 }
set argc [llength $argv]
cd $timely_shell/script
source build.tcl

foreach timely_file [concat [lindex [timely::verilog $timely_about] 0] timely_opennic.xdc] {
    if {[llength [get_files -quiet $timely_file]] == 0} { timely::stop 1 "the shell's script ended without $timely_file in its project" }
}
if {[dict exists $timely_given -impl] && [dict get $timely_given -impl] eq "1"} {
    set timely_slack [get_property STATS.WNS [get_runs impl_1]]
    if {![string is double -strict $timely_slack] || $timely_slack < 0} {
        timely::stop 1 "the implementation did not meet its clocks: worst slack `$timely_slack` ns"
    }
}
puts "$timely_script: [dict get $timely_about top], 2^[dict get $timely_about flow_bits] flows, is in $timely_shell/build/$timely_build"
