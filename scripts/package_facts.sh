# What the scripts that build, pack and install have in common. To be sourced.

# Where CMakePresets.json has a preset built.
build_folder() {
  [[ $1 == cpu-release ]] && echo build || echo "build/$1"
}

# cached BUILD NAME: a variable of a build.
cached() {
  sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt"
}

# What is made for the CPU of a version.
debian_package() { echo "build/parterre_$1-1_amd64.deb"; }
cpu_archive() { echo "build/parterre-$1-x86_64.tar.gz"; }

# Packages that are headers alone and whose licences want to be passed on. Boost, which is the same, is
# not among them: its licence asks for nothing in a program.
header_packages=(libcli11-dev nlohmann-json3-dev)
