// The types of these modules are part of this module's API.
@_exported public import CTesseraWebKitGTK
@_exported import FCKOnboardingClient
@_exported import FCKOnboardingFlow
@_exported import TesseraBridge
@_exported import TesseraCore
