# What crosses between the registers' clock and the core's crosses in the bridge: a toggle each way, which two registers take over, and beside it
# what stands still meanwhile and must arrive within a period of the faster clock. For placing and routing; not tried with the vendor's tools.
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ *timely_inst/core/path/bridge/told_*__q_reg* || NAME =~ *timely_inst/core/path/bridge/asked_*__q_reg*}]
# Out of the registers' clock: the toggle, what is asked.
set_max_delay -datapath_only 4.0 -from [get_cells -hierarchical -filter {IS_SEQUENTIAL && (NAME =~ *timely_inst/core/path/bridge/ask__q_reg* || NAME =~ *timely_inst/core/path/bridge/writing__q_reg* || NAME =~ *timely_inst/core/path/bridge/aw_addr__q_reg* || NAME =~ *timely_inst/core/path/bridge/w_data__q_reg* || NAME =~ *timely_inst/core/path/bridge/w_strb__q_reg* || NAME =~ *timely_inst/core/path/bridge/ar_addr__q_reg*)}] -to [get_clocks -of_objects [get_pins -hierarchical -filter {NAME =~ *timely_inst/core_rst_reg?2?/C}]]
# Out of the core's: the toggle, the answer.
set_max_delay -datapath_only 4.0 -from [get_cells -hierarchical -filter {IS_SEQUENTIAL && (NAME =~ *timely_inst/core/path/bridge/tell__q_reg* || NAME =~ *timely_inst/core/path/bridge/answer__q_reg* || NAME =~ *timely_inst/core/path/bridge/response__q_reg*)}] -to [get_clocks -of_objects [get_pins -hierarchical -filter {NAME =~ *timely_inst/axil_rst_reg/C}]]
# The core's reset comes through three registers of its own clock.
set_false_path -to [get_cells -hierarchical -filter {NAME =~ *timely_inst/core_rst_reg?0?}]
