extension TrustedPlatformModule {
  /// The reason why this user cannot open the device of the TPM, according to the file system. Opens nothing.
  ///
  /// - Parameter interface: as for `init(interface:idleTime:clock:)`.
  /// - Returns: nil if the device is accessible; `.noResponse` for an interface that is not a device, whose state is
  ///   unknown until it is used.
  package static func unavailability(interface: String? = nil) -> TPMError.Unavailability? {
    TPMInterface(interface).unavailability
  }
}
