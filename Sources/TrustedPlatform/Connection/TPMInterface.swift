import Foundation

/// Where the TPM is, as a TCTI configuration: the name of a transport and, after a colon, what it needs to know.
struct TPMInterface: Sendable {
  let configuration: String

  /// The kernel's resource manager. The TSS's own default looks further when this cannot be opened, down to a
  /// simulator at a port of the loopback, where any local program could sit and be given PINs.
  private static let standard = "device:/dev/tpmrm0"

  /// - Parameter configuration: nil takes the first that is set of TESSERA_TPM2_TCTI, TPM2OPENSSL_TCTI and
  ///   TPM2TOOLS_TCTI.
  init(_ configuration: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    let names = ["TESSERA_TPM2_TCTI", "TPM2OPENSSL_TCTI", "TPM2TOOLS_TCTI"]
    self.configuration =
      configuration ?? names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? Self.standard
  }

  /// Why the interface could not be opened, as far as the file system tells.
  var unavailability: TPMError.Unavailability { obstacle ?? .noAnswer(interface: configuration) }

  /// The same before anybody has tried: nil for a device that this user may open.
  var obstacle: TPMError.Unavailability? {
    let parts = configuration.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first == "device", parts.count == 2 else { return .noAnswer(interface: configuration) }
    let path = String(parts[1])
    guard access(path, R_OK | W_OK) != 0 else { return nil }
    return switch errno {
    case ENOENT, ENOTDIR, ENODEV, ENXIO: .noDevice(path: path)
    case EACCES, EPERM: .accessDenied(path: path)
    default: .noAnswer(interface: configuration)
    }
  }
}
