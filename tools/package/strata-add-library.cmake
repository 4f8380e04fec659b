# strata_add_library(NAME MODEL FILE [SHARED] [TARGET cpu|nvgpu|amdgpu] [DEVICE NAME] [OPTIONS OPTION...])
#
# Compiles a model when the project is built and makes the result the library NAME, to be linked like any other: its
# function is NAME, its header "NAME.h". It is compiled again when the model, a file that the model or an option names
# (external data, --bind-constant) or the compiler has changed. SHARED: the shared library, else the archive. OPTIONS: as
# on the command line of strata; names of files in them are absolute.
function(strata_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "SHARED" "MODEL;TARGET;DEVICE" "OPTIONS")
  if(NOT ARG_MODEL OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "strata_add_library(${name} MODEL FILE [SHARED] [TARGET …] [DEVICE …] [OPTIONS …])")
  endif()
  cmake_path(ABSOLUTE_PATH ARG_MODEL NORMALIZE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.strata)
  set(outputs ${folder}/lib${name}.a ${folder}/${name}.h)
  if(ARG_SHARED)
    list(APPEND outputs ${folder}/lib${name}.so)
  endif()
  set(target)
  if(ARG_TARGET)
    list(APPEND target --target=${ARG_TARGET})
  endif()
  if(ARG_DEVICE)
    list(APPEND target --device=${ARG_DEVICE})
  endif()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND strata::strata ${ARG_MODEL} --aot --aot-name=${name} -o ${folder} --depfile ${target} ${ARG_OPTIONS}
    DEPENDS ${ARG_MODEL} $<TARGET_FILE:strata::strata>
    DEPFILE ${folder}/${name}.d
    COMMENT "Compiling ${ARG_MODEL} to the library ${name}"
    VERBATIM)
  add_custom_target(${name}.strata DEPENDS ${outputs})

  file(MAKE_DIRECTORY ${folder}) # an include folder has to exist
  find_package(Threads REQUIRED)
  if(ARG_SHARED)
    add_library(${name} SHARED IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${folder}/lib${name}.so)
  else()
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${folder}/lib${name}.a)
    target_link_libraries(${name} INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
  endif()
  target_include_directories(${name} INTERFACE ${folder})
  add_dependencies(${name} ${name}.strata)
endfunction()
