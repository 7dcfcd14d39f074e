# The contracts of proto/ as generated code in the build tree, included as "proto/…": the target proto.
# It is not ours to warn of, so it does without project_flags, and its headers are system headers.
find_package(Protobuf REQUIRED)  # Before gRPC, whose config file asks for its targets.
find_package(gRPC CONFIG REQUIRED)

set(proto_generated ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${proto_generated})
foreach(file proto/tulip/v1/tulip proto/grpc/health/v1/health)
  set(proto_outputs ${proto_generated}/${file}.pb.cc ${proto_generated}/${file}.pb.h
    ${proto_generated}/${file}.grpc.pb.cc ${proto_generated}/${file}.grpc.pb.h)
  add_custom_command(OUTPUT ${proto_outputs}
    COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}
      --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>
      --cpp_out=${proto_generated} --grpc_out=${proto_generated} ${PROJECT_SOURCE_DIR}/${file}.proto
    DEPENDS ${PROJECT_SOURCE_DIR}/${file}.proto
    VERBATIM)
  list(APPEND proto_sources ${proto_outputs})
endforeach()

add_library(proto STATIC ${proto_sources})
target_include_directories(proto SYSTEM PUBLIC ${proto_generated})
target_link_libraries(proto PUBLIC gRPC::grpc++ protobuf::libprotobuf)
