# What crosses between the NIC core's clock and the MAC's crosses in queues: a pointer in Gray code each way, which two registers take over, and
# words that stand still from the clock at which their pointer leaves. All must arrive within a period of the faster clock. For placing and
# routing; not tried with the vendor's tools.
set_max_delay -datapath_only 2.4 -from [get_cells -hierarchical -filter {NAME =~ *timely/*put_gray_reg*}] -to [get_cells -hierarchical -filter {NAME =~ *timely/*put_1_reg*}]
set_max_delay -datapath_only 2.4 -from [get_cells -hierarchical -filter {NAME =~ *timely/*take_gray_reg*}] -to [get_cells -hierarchical -filter {NAME =~ *timely/*take_1_reg*}]
# Words in LUT-RAM, from their write to the registers behind them.
set_max_delay -datapath_only 4.0 -from [get_cells -hierarchical -filter {NAME =~ *timely/*ends_of_frames/words_reg* || NAME =~ *timely/completions/words_reg*}]
# Paused priorities are levels, each for itself.
# (Without TIMELY_RX_PFC there are none.)
set_false_path -quiet -to [get_cells -quiet -hierarchical -filter {NAME =~ *timely/pause_1_reg*}]
# A reset begins without its clock.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *timely/*_reset/hold_reg*/PRE}]
