# Corundum on an Alveo card, with timely-nic: writes a design beside one of Corundum's own.
#
#   tclsh bitstreams/alveo/corundum.tcl -emitted build/corundum -shell CORUNDUM -design Alveo/fpga_100g/fpga_AU250
#
# then `make -C CORUNDUM/fpga/mqnic/Alveo/fpga_100g/fpga_AU250_app_timely`. Untested on hardware, and in Vivado. Written for Corundum's revision 1ca0151b.
set timely_script corundum.tcl
set timely_here [file dirname [file normalize [info script]]]
source [file join $timely_here .. timely.tcl]
source [file join $timely_here .. corundum.tcl]
timely::corundum {Alveo/fpga_100g/fpga_* 512 Alveo/fpga_25g/fpga_* 128}
