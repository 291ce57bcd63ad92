# What timely-nic needs of a Corundum board's parameters, behind those of the application in its config.tcl.
dict set params APP_ID "32'h@ID@"
dict set params APP_ENABLE "1"
dict set params APP_CTRL_ENABLE "1"
dict set params APP_DMA_ENABLE "1"
dict set params APP_AXIS_SYNC_ENABLE "1"
dict set params APP_AXIS_IF_ENABLE "1"
dict set params PTP_TS_ENABLE "1"
