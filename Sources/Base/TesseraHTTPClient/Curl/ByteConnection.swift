internal import CTesseraCurl
import TesseraThreads

/// A connection for another protocol than HTTP: over TCP, or over TLS, where it goes through a proxy as the environment says
/// (`ProxySettings`). The rules for certificates are those of `HTTPSClient`.
///
/// One thread uses it, from `connect` to `disconnect`. It must block SIGPIPE (`BrokenPipe`). Other threads may call `cancel`
/// and `wake`.
package final class ByteConnection: Sendable {
  private let host: String
  private let proxy: String?
  private let certificateFile: String?
  private let transfer: CurlTransfer
  private let session: CurlSession

  /// - Parameter host: a name or an address, without brackets.
  /// - Throws: `HTTPError`.
  package init(
    to host: String, port: Int, isSecure: Bool, through proxy: ProxySettings.Proxy?, _ settings: ConnectionSettings
  ) throws(HTTPError) {
    let certificates = isSecure ? try settings.certificates() : nil
    try CurlLibrary.load()
    transfer = try CurlTransfer(to: host, port: port, isSecure: isSecure, through: proxy, certificates: certificates)
    guard let session = CurlSession() else { throw .interrupted(host: host) }
    self.session = session
    self.host = host
    self.proxy = proxy?.host
    certificateFile = settings.certificateFile
  }

  /// Blocks until there is a connection, and the handshake of TLS has ended.
  ///
  /// - Throws: `HTTPError`.
  package func connect() throws(HTTPError) {
    let outcome = transfer.connect(session)
    switch outcome {
    case TESSERA_CURL_COMPLETE, TESSERA_CURL_UNCONFIRMED: break
    case TESSERA_CURL_CANCELLED: throw .interrupted(host: host)
    default:
      throw HTTPError(
        outcome, host: host, proxy: proxy, certificateFile: certificateFile, problem: transfer.problem)
    }
  }

  /// Must be called once after `connect`, whatever became of it.
  package func disconnect() { transfer.disconnect(session) }

  /// - Returns: The number of bytes that were received: 0 if the other side has ended the connection. nil if there are none
  ///   at the moment.
  /// - Throws: `HTTPError.interrupted`.
  package func receive(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(HTTPError) -> Int? {
    var count = 0
    return try moved(transfer.receive(buffer, &count)) ? count : nil
  }

  /// - Parameter bytes: if not all were taken, the next call must have the rest, at the same address.
  /// - Returns: How many of the bytes the operating system has taken, from the first one on.
  /// - Throws: `HTTPError.interrupted`.
  package func send(_ bytes: UnsafeBufferPointer<UInt8>) throws(HTTPError) -> Int {
    var count = 0
    return try moved(transfer.send(bytes, &count)) ? count : 0
  }

  private func moved(_ progress: tessera_curl_progress) throws(HTTPError) -> Bool {
    switch progress {
    case TESSERA_CURL_MOVED: return true
    case TESSERA_CURL_BLOCKED: return false
    default: throw .interrupted(host: host)
    }
  }

  /// Waits until bytes can be received, or sent if that is wanted, for another thread's `wake`, or for the time.
  ///
  /// - Throws: `HTTPError.interrupted`.
  package func wait(wantsToSend: Bool, for time: Duration) throws(HTTPError) {
    let milliseconds = Int32(clamping: Int64(min(max(.zero, time), .seconds(86_400)) / .milliseconds(1)) + 1)
    guard transfer.wait(wantsToSend: wantsToSend, milliseconds: milliseconds) else {
      throw .interrupted(host: host)
    }
  }

  /// Ends `wait`, or the next one.
  package func wake() { transfer.wake() }

  /// Ends `connect`.
  package func cancel() { transfer.cancel(session) }
}
