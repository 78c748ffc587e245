// The main actor runs in the main loop of GTK.
@_exported public import enum TesseraWebContent.MainLoop
