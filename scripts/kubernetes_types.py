"""Kubernetes' objects by their types: which fields there are, which are needed, what they hold.

The types are lightkube-models', dataclasses with annotations; pydantic compares.
"""

import dataclasses
import importlib
import json
import sys
import types

import pydantic


def _strict(cls):
    cls.__pydantic_config__ = {"extra": "forbid", "strict": True}
    return dataclasses.dataclass(cls)


# The models take these from the client that they belong to, which is not needed to look at types.
_schema = types.ModuleType("lightkube.core.schema")
_schema.dataclass, _schema.field, _schema.DictMixin = _strict, dataclasses.field, object
sys.modules["lightkube.core"] = types.ModuleType("lightkube.core")
sys.modules["lightkube.core.schema"] = _schema


def faults(document):
    """What is wrong with an object, each with the path of its field."""
    group, _, version = document["apiVersion"].rpartition("/")
    module = f"lightkube.models.{(group or 'core').split('.')[0]}_{version}"
    try:
        kind = getattr(importlib.import_module(module), document["kind"])
    except (ImportError, AttributeError):
        return [f"Kubernetes knows no {document['kind']} of {document['apiVersion']}"]
    try:
        # As JSON: where types are strict, an object of Python's would have to be of the class.
        pydantic.TypeAdapter(kind).validate_json(json.dumps(document))
    except pydantic.ValidationError as error:
        return [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
    return []
