// A program that reads zones needs what takes the pictures, too: the product has both modules.
@_exported public import TesseraCamera
