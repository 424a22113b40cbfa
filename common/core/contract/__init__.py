"""Values of cgrag.type.v1 that several services work on, field by field; `common.rpc` turns them into messages."""
