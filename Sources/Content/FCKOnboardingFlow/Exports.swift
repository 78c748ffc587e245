// The problems of a document and their places are part of this module's API.
@_exported public import TesseraFlowDocument
