// Widgets are those of GTK, and their texts those of ReRune.
@_exported public import CTesseraWebKitGTK
@_exported public import ReRune

// The main actor runs in the main loop of GTK.
@_exported public import enum TesseraWebContent.MainLoop
