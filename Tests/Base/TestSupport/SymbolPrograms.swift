import Foundation

/// Programs that read symbols and know nothing of libzxing: dmtxread (dmtx-utils) and zbarimg (zbar-tools).
public enum SymbolPrograms {
  /// In continuous integration a missing program is a failure, elsewhere the tests are skipped.
  public static let isEnabled =
    ["dmtxread", "zbarimg"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    || ProcessInfo.processInfo.environment["CI"] == "true"
  public static let unavailableReason = "dmtxread or zbarimg is missing: apt-get install dmtx-utils zbar-tools"

  /// A shell command that writes the bytes of the DataMatrix symbol in a picture to standard output.
  public static func dataMatrix(_ picture: String) -> String { "dmtxread -N1 \(picture)" }

  /// The same for a QR symbol.
  public static func qrCode(_ picture: String) -> String {
    "zbarimg -q --nodbus --raw --oneshot -Sdisable -Sqrcode.enable -Sbinary \(picture)"
  }
}
