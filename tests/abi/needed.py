# SPDX-License-Identifier: MIT
"""Does libl2r itself need none of the large libraries, which are behind modules?  needed.py LIBL2R"""
import re
import subprocess
import sys

# What a package of the library has to carry: JSON, archives, checksums, OpenMP's run time, matrix products.
SMALL = {"libjansson", "libarchive", "libcrypto", "libz", "libxxhash", "libgomp", "libdnnl", "libm", "libc", "libdl",
         "libpthread", "ld-linux-x86-64"}
headers = subprocess.run(["readelf", "-d", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True).stdout
needed = set(re.findall(r"NEEDED.*\[(.*?)\.so", headers))
if not needed or needed - SMALL:
    sys.exit(f"{sys.argv[1]} needs {', '.join(sorted(needed - SMALL)) or 'nothing, says readelf'}")
print(f"abi needed: {', '.join(sorted(needed))}")
