# SPDX-License-Identifier: MIT
# Writes build/generated/ARRAY.c, the list of everything that a folder defines, from the names of its files:
# src/models/gin.c must define l2r_model_gin. Adding a file is all it takes to add an entry.
#   l2r_registry(<sources variable> <array> <struct> <header> <symbol prefix> <files…>
#                [CHOICES <symbol>] [FIRST <names…>])
# CHOICES also defines the text "a|b-c|d" of the names for an option, an underscore written as a hyphen. Entries are
# sorted by name, after those of FIRST, which come in their order; "auto" and "none" in FIRST are choices without a
# file.
function(l2r_registry variable array struct header prefix)
  cmake_parse_arguments(PARSE_ARGV 5 arg "" "CHOICES" "FIRST")
  set(names "")
  foreach(pattern ${arg_UNPARSED_ARGUMENTS})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    foreach(file ${found})
      get_filename_component(name ${file} NAME_WE)
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(SORT names)
  set(names ${arg_FIRST} ${names})
  list(REMOVE_DUPLICATES names)
  string(REPLACE ";" "|" choices "${names}")
  string(REPLACE "_" "-" choices "${choices}")
  list(REMOVE_ITEM names auto none)
  set(externs "")
  set(entries "")
  foreach(name ${names})
    string(APPEND externs "extern const struct ${struct} ${prefix}${name};\n")
    string(APPEND entries "    &${prefix}${name},\n")
  endforeach()
  if(arg_CHOICES)
    string(APPEND externs "extern const char ${arg_CHOICES}[];\nconst char ${arg_CHOICES}[] = \"${choices}\";\n")
  endif()
  set(out ${CMAKE_BINARY_DIR}/generated/${array}.c)
  file(CONFIGURE OUTPUT ${out} CONTENT
"/* Written by cmake/Registry.cmake from the names of files. */
#include \"${header}\"

${externs}
const struct ${struct} *const ${array}[] = {
${entries}    0};
" @ONLY)
  set(${variable} ${${variable}} ${out} PARENT_SCOPE)
endfunction()

# A format is a folder, in which the file of the same name holds the reader: src/data/formats/tu/tu.c defines
# l2r_reader_tu.
file(GLOB formats RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/data/formats/*)
set(readers "")
foreach(format ${formats})
  get_filename_component(name ${format} NAME)
  list(APPEND readers ${format}/${name}.c)
endforeach()

set(L2R_REGISTRY_SOURCES "")
l2r_registry(L2R_REGISTRY_SOURCES l2r_readers l2r_reader data/reader.h l2r_reader_ ${readers})
l2r_registry(L2R_REGISTRY_SOURCES l2r_generators l2r_generator data/reader.h l2r_generator_ src/data/generators/*.c)
l2r_registry(L2R_REGISTRY_SOURCES l2r_split_rules l2r_split_rule data/splits/rule.h l2r_split_rule_
  src/data/splits/rules/*.c CHOICES l2r_split_choices
  FIRST auto official scaffold scaffold_balanced size random stratified column file)
l2r_registry(L2R_REGISTRY_SOURCES l2r_models l2r_model_type nn/model.h l2r_model_ src/models/*.c)
l2r_registry(L2R_REGISTRY_SOURCES l2r_readouts l2r_readout nn/readout.h l2r_readout_ src/nn/readouts/*.c
  CHOICES l2r_readout_choices FIRST mean sum max)
l2r_registry(L2R_REGISTRY_SOURCES l2r_activations l2r_activation nn/layers.h l2r_activation_ src/nn/activations/*.c
  CHOICES l2r_activation_choices FIRST relu)
l2r_registry(L2R_REGISTRY_SOURCES l2r_methods l2r_method methods/method.h l2r_method_ src/methods/*.c)
l2r_registry(L2R_REGISTRY_SOURCES l2r_metrics l2r_metric metrics/metrics.h l2r_metric_
  src/metrics/metrics/*.c FIRST accuracy balanced_accuracy f1 mcc rocauc ap brier ece rmse mae nrmse r2 spearman)
l2r_registry(L2R_REGISTRY_SOURCES l2r_calibrators l2r_calibrator model/calibrate.h l2r_calibrator_
  src/model/calibrators/*.c CHOICES l2r_calibrator_choices FIRST none platt isotonic temperature)
l2r_registry(L2R_REGISTRY_SOURCES l2r_optimisers l2r_optimiser_type nn/optimiser.h l2r_optimiser_
  src/fit/optimisers/*.c CHOICES l2r_optimiser_choices)
l2r_registry(L2R_REGISTRY_SOURCES l2r_schedules l2r_schedule_type nn/schedule.h l2r_schedule_
  src/fit/schedules/*.c CHOICES l2r_schedule_choices FIRST constant step cosine plateau)

set(L2R_APP_REGISTRY_SOURCES "")
l2r_registry(L2R_APP_REGISTRY_SOURCES l2r_charts l2r_chart figure/chart.h l2r_chart_ app/figure/charts/*.c)
l2r_registry(L2R_APP_REGISTRY_SOURCES l2r_reproductions l2r_reproduction reproduce/reproduction.h l2r_reproduction_
  app/reproduce/entries/*.c)
l2r_registry(L2R_COMMAND_SOURCES l2r_commands l2r_command cli/command.h l2r_command_ app/cli/commands/*.c)
