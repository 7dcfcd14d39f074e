# What `cmake --install` (make install) puts where: the program, its manual pages and completions, units
# for systemd, documentation and what deploy/ has as examples. It writes nothing to /etc.
set(doc share/doc/parterre)
set(manual ${CMAKE_BINARY_DIR}/manual)

install(TARGETS parterre RUNTIME DESTINATION bin)
install(DIRECTORY ${manual}/man1 DESTINATION share/man)
install(FILES ${manual}/parterre.bash DESTINATION share/bash-completion/completions RENAME parterre)
install(FILES ${manual}/_parterre DESTINATION share/zsh/site-functions)
install(FILES ${manual}/parterre.fish DESTINATION share/fish/vendor_completions.d)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${doc})
install(DIRECTORY docs DESTINATION ${doc})
install(DIRECTORY deploy/ DESTINATION ${doc}/examples PATTERN "*.service" EXCLUDE PATTERN debian EXCLUDE)

# Units name the program in full; the prefix is known when it is installed.
file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/deploy/systemd/*.service)
foreach(unit ${units})
  install(CODE "set(unit \"${unit}\")")
  install(CODE [[
    get_filename_component(name "${unit}" NAME)
    set(installed "${CMAKE_INSTALL_PREFIX}/lib/systemd/system/${name}")
    message(STATUS "Installing: $ENV{DESTDIR}${installed}")
    file(READ "${unit}" text)
    string(REPLACE "=/usr/local/bin/parterre" "=${CMAKE_INSTALL_PREFIX}/bin/parterre" text "${text}")
    file(WRITE "$ENV{DESTDIR}${installed}" "${text}")
    file(CHMOD "$ENV{DESTDIR}${installed}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  ]])
endforeach()
