// The documents and the answers are part of this module's API.
@_exported public import FCKOnboardingFlow
@_exported public import TesseraHTTPClient
