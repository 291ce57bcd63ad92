# NetFPGA PLUS with timely-nic as its datapath: writes the project hw/projects/timely_nic.
#
#   tclsh bitstreams/alveo/netfpga_plus.tcl -emitted build/netfpga-plus -shell NETFPGA_PLUS
#
# Untested on hardware, and in Vivado. Written for NetFPGA-PLUS' revision 70b333f.
set timely_script netfpga_plus.tcl
set timely_here [file dirname [file normalize [info script]]]
source [file join $timely_here .. timely.tcl]
source [file join $timely_here .. netfpga.tcl]
# The reference NIC has 1024 bits.
timely::netfpga netfpga-plus hw/projects {{^set datapath_width_bit +[0-9]+ *$} {set datapath_width_bit 512}}
