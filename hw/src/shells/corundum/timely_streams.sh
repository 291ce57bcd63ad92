#!/bin/sh
# Wires timely-nic's two blocks together in a Corundum tree: sh timely_streams.sh CORUNDUM/fpga
# Two buses go through mqnic_core.v and mqnic_interface.v; the blocks' own files, in app/timely/rtl, get the form that has them.
set -eu
rtl="$1/common/rtl"
own="$1/app/timely/rtl"
for file in "$rtl/mqnic_core.v" "$rtl/mqnic_interface.v" "$own/mqnic_app_block.v" "$own/mqnic_tx_scheduler_block.v"; do
  [ -f "$file" ] || { echo "$file is not there: give Corundum's folder fpga, with timely-nic's files in app/timely/rtl" >&2; exit 1; }
done
# Gives the blocks the form with the buses, unless they have it.
form() {
  for file in "$own/mqnic_app_block.v" "$own/mqnic_tx_scheduler_block.v"; do
    if [ "$(head -n 1 "$file")" != '`define TIMELY_STREAMS' ]; then
      { echo '`define TIMELY_STREAMS'; cat "$file"; } > "$file.timely"
      mv "$file.timely" "$file"
    fi
  done
}
if grep -q timely_down "$rtl/mqnic_core.v"; then
  # The blocks may have been written anew since.
  form
  echo "$rtl/mqnic_core.v has the buses already"
  exit 0
fi

# Inserts $4 behind the line that opens the ports of the instance, or of the module, that $2 begins; $3 lines must have got it.
wire() {
  awk -v begins="$2" -v more="$4" -v wanted="$3" '
    { print }
    index($0, begins) { near = 1 }
    # The ports of a module open behind its parameters.
    near && /^ *[A-Za-z_0-9]* ?\($/ && (begins !~ /^module/ || last == ")") { print more; near = 0; done++ }
    { last = $0 }
    END { exit done != wanted }' "$1" > "$1.timely" || { rm -f "$1.timely"; echo "$1: no $2 as in Corundum of December 2023" >&2; exit 1; }
  mv "$1.timely" "$1"
}

wire "$rtl/mqnic_interface.v" "module mqnic_interface #" 1 "    input  wire [261:0] timely_down,
    output wire [166:0] timely_up,"
wire "$rtl/mqnic_interface.v" "mqnic_tx_scheduler_block #(" 1 "        .timely_down(timely_down),
        .timely_up(timely_up),"
wire "$rtl/mqnic_core.v" "mqnic_interface #(" 1 "            .timely_down(n == 0 ? timely_down : 262'h0),
            .timely_up(timely_up[n*167 +: 167]),"
wire "$rtl/mqnic_core.v" "mqnic_app_block #(" 1 "        .timely_down(timely_down),
        .timely_up(timely_up[166:0]),"
awk '{ print } /^\);/ && !done { print "\nwire [261:0] timely_down;\nwire [IF_COUNT*167-1:0] timely_up;"; done = 1 }' "$rtl/mqnic_core.v" > "$rtl/mqnic_core.v.timely"
mv "$rtl/mqnic_core.v.timely" "$rtl/mqnic_core.v"
form
echo "wired: $rtl/mqnic_core.v, $rtl/mqnic_interface.v"
