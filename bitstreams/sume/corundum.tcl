# Corundum on a NetFPGA SUME, with timely-nic: writes a design beside Corundum's own. Its registers are in BAR 2, where timelyctl reaches them.
#
#   tclsh bitstreams/sume/corundum.tcl -emitted build/corundum -shell CORUNDUM -design NetFPGA_SUME/fpga/fpga
#
# then `make -C CORUNDUM/fpga/mqnic/NetFPGA_SUME/fpga/fpga_app_timely`. Untested on hardware, and in Vivado. Written for Corundum's revision 1ca0151b.
set timely_script corundum.tcl
set timely_here [file dirname [file normalize [info script]]]
source [file join $timely_here .. timely.tcl]
source [file join $timely_here .. corundum.tcl]
timely::corundum {NetFPGA_SUME/fpga/fpga* 64}
