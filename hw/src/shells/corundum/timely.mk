# timely-nic's files, for the Makefile of a Corundum board.
SYN_FILES += app/timely/rtl/mqnic_app_block.v
SYN_FILES += app/timely/rtl/@FILE@
