# timely-nic in the 250 MHz box; the shell's script/build.tcl sources this in the plugin's folder.
read_verilog -quiet @FILE@
read_xdc timely_opennic.xdc
# The clocks of the shell's cores are known when all is put together.
set_property used_in_synthesis false [get_files timely_opennic.xdc]
# The shell reads its own timing.xdc, which makes the clocks, after this file.
set_property PROCESSING_ORDER LATE [get_files timely_opennic.xdc]
