#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make a C table of texts from *.conf: embed.py OUT FILE..."""
import sys

out, files = sys.argv[1], sorted(sys.argv[2:])
with open(out, "w") as f:
    f.write("/* SPDX-License-Identifier: BSD-3-Clause */\n")
    f.write("/* Made by drivers-config/embed.py. */\n")
    f.write("static const char *const port_profile_texts[] = {\n")
    for name in files:
        for line in open(name):
            line = line.strip()
            if line and not line.startswith("#"):
                f.write('\t"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"\n')
        f.write("\t,\n")
    f.write("};\n")
