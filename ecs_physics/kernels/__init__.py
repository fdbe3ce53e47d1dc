"""Compiled code: arrays and scalars in, arrays and scalars out. No esper, no objects."""
