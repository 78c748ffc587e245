// The types of these modules are part of this module's API.
@_exported import Logging
@_exported import ServiceLifecycle
@_exported import TesseraBridge
@_exported import TesseraCore
@_exported import TesseraGrants
@_exported import UnixSignals
