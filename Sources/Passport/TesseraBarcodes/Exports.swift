// The types of this module are part of this module's API.
@_exported public import TesseraPictures
