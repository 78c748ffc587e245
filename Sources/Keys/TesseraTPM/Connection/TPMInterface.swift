import FoundationEssentials
import Glibc

/// The TCTI configuration of the TPM: the name of a transport and, after a colon, its parameters.
struct TPMInterface: Sendable {
  let configuration: String

  /// The resource manager of the kernel. The default of the TSS also tries a simulator on a loopback port, if any
  /// local program could collect PINs.
  private static let standard = "device:/dev/tpmrm0"

  /// - Parameter configuration: nil selects the first variable that is set: TESSERA_TPM2_TCTI, TPM2OPENSSL_TCTI,
  ///   TPM2TOOLS_TCTI.
  init(_ configuration: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    let names = ["TESSERA_TPM2_TCTI", "TPM2OPENSSL_TCTI", "TPM2TOOLS_TCTI"]
    self.configuration =
      configuration ?? names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? Self.standard
  }

  /// The reason of a failed connection, according to the file system.
  var failureReason: TPMError.Unavailability { unavailability ?? .noResponse(interface: configuration) }

  /// The reason why the interface cannot be opened, according to the file system; nil for an accessible device.
  var unavailability: TPMError.Unavailability? {
    let parts = configuration.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first == "device", parts.count == 2 else { return .noResponse(interface: configuration) }
    let path = String(parts[1])
    guard access(path, R_OK | W_OK) != 0 else { return nil }
    return switch errno {
    case ENOENT, ENOTDIR, ENODEV, ENXIO: .noDevice(path: path)
    case EACCES, EPERM: .accessDenied(path: path)
    default: .noResponse(interface: configuration)
    }
  }
}
