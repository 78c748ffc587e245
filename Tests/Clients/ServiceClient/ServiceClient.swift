import Foundation
import TesseraBridge
import TesseraService

/// A haptic device of this program: prints each effect.
struct PrintedHaptics: HapticProvider {
  func isAvailable() async -> Bool { true }
  func impact(_ style: HapticImpactStyle) async { print("impact: \(style)") }
  func notification(_ type: HapticNotificationType) async { print("notification: \(type)") }
  func selection() async { print("selection") }
}

/// Serves the bridge on a temporary Unix socket, sends one request to it and prints the answer.
@main
struct ServiceClient {
  static func main() async throws {
    let registry = SdkProviderRegistry()
    registry.register { $0.haptic = PrintedHaptics() }
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry))

    let folder = FileManager.default.temporaryDirectory.appending(path: "tessera-client-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = ServiceConfiguration(socketPath: folder.appending(path: "bridge.sock").path)
    let server = try await BridgeServer.start(configuration, router: router)

    for (method, parameters) in [("impact", #"{"style":"heavy"}"#), ("isAvailable", "{}")] {
      let request = """
        {"type":"request","version":1,"id":"\(method)","domain":"haptic","method":"\(method)",\
        "params":\(parameters),"timestamp":0}
        """
      let answer = try JSONValue(text: try await send(request, to: server.socketPath))
      print("\(method): success \(answer["success"]?.text ?? "none"), data \(answer["data"]?.text ?? "none")")
    }
    await server.stop()
  }

  /// Sends one line to the socket and returns the line that the service answers, as a program in any language does.
  static func send(_ line: String, to path: String) async throws -> String {
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let connection = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    try connection.write(contentsOf: Data((line + "\n").utf8))
    var answer = Data()
    while !answer.contains(UInt8(ascii: "\n")) {
      let bytes = connection.availableData
      guard !bytes.isEmpty else { break }
      answer += bytes
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
