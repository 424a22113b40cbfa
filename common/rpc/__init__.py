"""gRPC (grpc.aio) for all services: the server factory, interceptors, channels and deadlines."""
