"""The one server factory, interceptors, channels and deadlines of grpc.aio."""
