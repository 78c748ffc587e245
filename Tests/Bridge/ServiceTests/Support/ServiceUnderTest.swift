import Foundation
import Logging
import TesseraBridge
import TesseraCore
import TesseraMetrics
import TesseraService
import TestSupport

/// A service in this process with a temporary folder.
final class ServiceUnderTest: Sendable {
  /// The origin with grants.
  static let origin = "https://app.test:5173"
  /// The permissions for all domains.
  static let everything = BridgeDomain.published.map(\.rawValue).joined(separator: ",")

  /// With long timeouts, since test clients may be slow on a busy machine.
  static let limits = {
    var limits = ServiceLimits()
    limits.handshakeTime = .seconds(120)
    limits.closingTime = .seconds(60)
    limits.stoppingTime = .seconds(60)
    return limits
  }()

  let server: BridgeServer
  let folder: TemporaryFolder
  let port: UInt16

  /// - Parameters:
  ///   - grants: by default all domains for `origin`.
  ///   - domains: those that the grants may name.
  ///   - metrics: what is served; nil for the figures of the service alone, with `hasMetrics`.
  ///   - ask: answers the questions about pages of this machine.
  ///   - log: receives the log; nil for nobody.
  ///   - port: 0 for any free port.
  init(
    _ router: MessageRouter, grants: [String] = ["\(origin)=\(everything)"],
    of domains: [BridgeDomain] = BridgeDomain.published, limits: ServiceLimits = ServiceUnderTest.limits,
    hasMetrics: Bool = false, metrics: PrometheusMetrics? = nil, ask: PermissionQuestions.Ask? = nil,
    log: LogLines? = nil, port: UInt16 = 0
  ) async throws {
    folder = try TemporaryFolder()
    var configuration = ServiceConfiguration(
      socketPath: folder.file("run/bridge.sock"), webSocket: try LoopbackAddress("127.0.0.1:\(port)"),
      grants: Grants(try grants.map { try Grant($0, of: domains) }))
    configuration.limits = limits
    configuration.hasMetrics = hasMetrics || metrics != nil
    configuration.metrics = metrics
    let file = folder.file("grants")
    configuration.questions = ask.map {
      ServiceConfiguration.Questions(file: file, PermissionQuestions(pause: .origin, clock: ManualClock(), $0))
    }
    server = try await BridgeServer.start(
      configuration, router: router, logger: log?.logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    self.port = UInt16(server.webSocketAddress?.split(separator: ":").last?.prefix { $0 != "/" } ?? "") ?? 0
  }

  func unix(reads: Bool = true) throws -> RawConnection { try .unix(server.socketPath, reads: reads) }

  func webSocket(origin: String = ServiceUnderTest.origin) async throws -> WebSocketClient {
    try await .connect(port: port, origin: origin)
  }

  /// Sends a request to the loopback port.
  ///
  /// - Returns: the received text, when the service has closed the connection; nil if it has not.
  func http(_ request: String) async throws -> String? {
    let connection = try RawConnection.loopback(port)
    connection.send(request)
    return await connection.textUntilClosed()
  }

  /// The HTTP response with the metrics.
  func metrics() async throws -> String? {
    let reader = try RawConnection.unix(SocketPath.metrics(beside: server.socketPath))
    reader.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return await reader.textUntilClosed()
  }

  func stop() async { await server.stop() }

  /// Runs the body and then stops the service, also after an error.
  static func with(
    _ router: MessageRouter, grants: [String] = ["\(origin)=\(everything)"],
    of domains: [BridgeDomain] = BridgeDomain.published, limits: ServiceLimits = ServiceUnderTest.limits,
    hasMetrics: Bool = false, _ body: (ServiceUnderTest) async throws -> Void
  ) async throws {
    let service = try await ServiceUnderTest(
      router, grants: grants, of: domains, limits: limits, hasMetrics: hasMetrics)
    do {
      try await body(service)
    } catch {
      await service.stop()
      throw error
    }
    await service.stop()
  }
}
