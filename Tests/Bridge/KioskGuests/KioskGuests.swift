import Foundation
import TesseraHTTPClient
import TesseraKeys
import TesseraKiosk

/// Keeps and delivers results, for tests that kill this process.
///
/// - `KioskGuests keep FOLDER KEYS COUNT` keeps COUNT results, and prints `kept ID` after each is on the disk.
/// - `KioskGuests deliver FOLDER LOG NUMBER` delivers the results of the folder to a server that writes the key of each
///   request into LOG. The process kills itself when the server has received request NUMBER and has not answered yet.
/// - `KioskGuests both FOLDER LOG NUMBER KEYS` does both at once, as a kiosk does, until it kills itself so.
@main
struct KioskGuests {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == (arguments.first == "both" ? 5 : 4), let number = Int(arguments[3]) else { exit(2) }
    let folder = ResultFolder(path: arguments[1])
    if arguments[0] == "keep" {
      let keeper = ResultKeeper(folder: folder, signer: try ResultSigner.test(keys: arguments[2])) { event in
        if case .kept(let identifier, _) = event { report("kept \(identifier)") }
      }
      for guest in 0..<number { await keeper.keep(.test(guest)) }
    } else if arguments[0] == "both" {
      let owner = FolderOwner(folder)
      try owner.take()
      let signer = try ResultSigner.test(keys: arguments[4])
      let delivery = ResultDelivery(
        folder: folder, owner: owner, signer: signer, address: try HTTPSAddress("https://desk.example/results"),
        transport: RecordingServer(log: arguments[2]) { $0 == number ? .dies : .answers(204) }
      ) { event in
        if case .unreadable(let identifier, _) = event { report("unreadable \(identifier)") }
      }
      let keeper = ResultKeeper(folder: folder, owner: owner, signer: signer) { event in
        if case .kept(let identifier, _) = event { report("kept \(identifier)") }
        Task { await delivery.wake() }
      }
      async let delivering: Void = delivery.run()
      for guest in 0..<Int(Int16.max) { await keeper.keep(.test(guest)) }
      await delivering
    } else {
      let server = RecordingServer(log: arguments[2]) { $0 == number ? .dies : .answers(204) }
      let delivery = ResultDelivery(
        folder: folder, address: try HTTPSAddress("https://desk.example/results"), transport: server
      ) { event in
        if case .delivered(let identifier) = event { report("delivered \(identifier)") }
      }
      try folder.removeLeftovers()
      guard await delivery.deliverAll() else { exit(1) }
      report("end")
    }
  }

  /// Writes the line in one call.
  private static func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    guard Glibc.write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(3) }
  }
}
