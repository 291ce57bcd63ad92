# What crosses between the registers' clock and the core's crosses in the bridge: a toggle each way, which two registers take over, and beside it
# what stands still meanwhile and must arrive within a period of the faster clock. Not tried with the vendor's tools.
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ *timely_inst/core/bridge/told_*/* || NAME =~ *timely_inst/core/bridge/asked_*/*}]
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ *timely_inst/core_rst_reg*}]
set_max_delay -datapath_only 4.0 -from [get_cells -hierarchical -filter {NAME =~ *timely_inst/core/bridge/* && IS_SEQUENTIAL}] \
  -to [get_cells -hierarchical -filter {NAME =~ *timely_inst/core/bridge/* && IS_SEQUENTIAL}]
set_false_path -to [get_cells -hierarchical -filter {NAME =~ *timely_inst/core_rst_reg[0]}]
