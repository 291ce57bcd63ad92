# NetFPGA SUME with timely-nic as its datapath: writes the project projects/timely_nic.
#
#   tclsh bitstreams/sume/netfpga_sume.tcl -emitted build/netfpga-sume -shell NETFPGA_SUME
#
# Untested on hardware, and in Vivado. Written for a public copy of the shell's first release; of a later one nothing is known here.
set timely_script netfpga_sume.tcl
set timely_here [file dirname [file normalize [info script]]]
source [file join $timely_here .. timely.tcl]
source [file join $timely_here .. netfpga.tcl]
timely::netfpga netfpga-sume projects {}
