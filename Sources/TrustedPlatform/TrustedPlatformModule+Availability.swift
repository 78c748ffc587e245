extension TrustedPlatformModule {
  /// Why this user cannot open the TPM's device, as far as the file system tells without opening it.
  ///
  /// - Parameter interface: as for `init(interface:idleTime:)`.
  /// - Returns: nil where the device may be opened; `.noAnswer` where the interface is none of a device, of which
  ///   nothing is known before it is used.
  public static func obstacle(interface: String? = nil) -> TPMError.Unavailability? {
    TPMInterface(interface).obstacle
  }
}
