// Frames are pictures.
@_exported public import TesseraPictures
