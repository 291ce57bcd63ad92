# timely-nic's files, for the Makefile of a Corundum board.
SYN_FILES += app/timely/rtl/mqnic_app_block.v
SYN_FILES += app/timely/rtl/@FILE@
# In place of Corundum's own scheduler, whose file must not be among them.
SYN_FILES += app/timely/rtl/mqnic_tx_scheduler_block.v
