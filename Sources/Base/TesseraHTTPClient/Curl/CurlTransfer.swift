internal import CTesseraCurl

/// One request of one address, as libcurl gets it.
///
/// `@unchecked Sendable`: the task that makes it passes it to the thread that runs it. Others may only cancel it, which
/// is permitted on every thread.
final class CurlTransfer: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// The library must be loaded.
  ///
  /// - Parameters:
  ///   - address: of the request, or where a redirect leads.
  ///   - certificates: roots of trust beside those of the system, in PEM.
  /// - Throws: `HTTPError`.
  init(
    _ request: HTTPRequest, to address: HTTPSAddress, through proxy: ProxySettings.Proxy?, certificates: [UInt8]?
  ) throws(HTTPError) {
    guard let normalized = address.normalized else { throw .invalidAddress }
    let lines = try HeaderLines(request, to: address)
    guard let pointer = tessera_curl_transfer_make() else { throw .interrupted(host: address.host) }
    // From here on, `deinit` releases it.
    self.pointer = pointer
    guard tessera_curl_set_address(pointer, normalized) else { throw .invalidAddress }
    if let proxy { try Self.set(proxy, pointer) }
    var isComplete = lines.lines.allSatisfy { tessera_curl_add_header(pointer, $0) }
    if let certificates {
      isComplete = isComplete && tessera_curl_set_roots(pointer, certificates, certificates.count)
    }
    if case .post(let body, _) = request.method, address.hasSameHost(as: request.address) {
      isComplete = isComplete && tessera_curl_set_body(pointer, body, body.count)
    }
    guard isComplete else { throw .interrupted(host: address.host) }
  }

  /// A connection without a request. The library must be loaded.
  ///
  /// - Parameters:
  ///   - host: a name or an address, without brackets.
  ///   - certificates: as above.
  /// - Throws: `HTTPError`.
  init(
    to host: String, port: Int, isSecure: Bool, through proxy: ProxySettings.Proxy?, certificates: [UInt8]?
  ) throws(HTTPError) {
    guard let authority = HTTPSAddress.authority(host) else { throw .invalidAddress }
    guard let pointer = tessera_curl_transfer_make() else { throw .interrupted(host: host) }
    self.pointer = pointer
    guard tessera_curl_set_address(pointer, "\(isSecure ? "https" : "http")://\(authority):\(port)/") else {
      throw .invalidAddress
    }
    if let proxy { try Self.set(proxy, pointer) }
    var isComplete = tessera_curl_set_connection(pointer, isSecure)
    if let certificates {
      isComplete = isComplete && tessera_curl_set_roots(pointer, certificates, certificates.count)
    }
    guard isComplete else { throw .interrupted(host: host) }
  }

  deinit { tessera_curl_transfer_free(pointer) }

  private static func set(_ proxy: ProxySettings.Proxy, _ pointer: OpaquePointer) throws(HTTPError) {
    let credentials = proxy.credentials.map {
      "\(PercentEncoding.component($0.user)):\(PercentEncoding.component($0.password))"
    }
    guard let host = HTTPSAddress.authority(proxy.host),
      tessera_curl_set_proxy(pointer, "http://\(host):\(proxy.port)", credentials)
    else { throw .invalidProxy }
  }

  /// Ends the request at once, or before it runs.
  ///
  /// - Parameter session: The one of the request.
  func cancel(_ session: CurlSession) { tessera_curl_cancel(session.pointer, pointer) }

  /// Why TLS failed, after the end of the request.
  var problem: Int { tessera_curl_problem(pointer) }

  // MARK: - Of a connection without a request

  /// Blocks until there is a connection. Must be called once. The calling thread must block SIGPIPE.
  func connect(_ session: CurlSession) -> tessera_curl_outcome { tessera_curl_connect(session.pointer, pointer) }

  func disconnect(_ session: CurlSession) { tessera_curl_disconnect(session.pointer, pointer) }

  func receive(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int) -> tessera_curl_progress {
    guard let address = bytes.baseAddress else { return TESSERA_CURL_BLOCKED }
    return tessera_curl_receive_bytes(pointer, address, bytes.count, &count)
  }

  func send(_ bytes: UnsafeBufferPointer<UInt8>, _ count: inout Int) -> tessera_curl_progress {
    guard let address = bytes.baseAddress else { return TESSERA_CURL_BLOCKED }
    return tessera_curl_send_bytes(pointer, address, bytes.count, &count)
  }

  func wait(wantsToSend: Bool, milliseconds: Int32) -> Bool { tessera_curl_wait(pointer, wantsToSend, milliseconds) }

  func wake() { tessera_curl_wake(pointer) }

  // MARK: - Of a request

  /// Blocks until the request has ended. Must be called once. The calling thread must block SIGPIPE.
  func run(_ session: CurlSession, _ receiver: ResponseReceiver) -> tessera_curl_outcome {
    withExtendedLifetime(receiver) {
      tessera_curl_run(
        session.pointer, pointer,
        { bytes, count, context in
          Unmanaged<ResponseReceiver>.fromOpaque(context).takeUnretainedValue()
            .receiveLine(UnsafeBufferPointer(start: bytes, count: count))
        },
        { bytes, count, context in
          Unmanaged<ResponseReceiver>.fromOpaque(context).takeUnretainedValue()
            .receiveBody(UnsafeBufferPointer(start: bytes, count: count))
        },
        Unmanaged.passUnretained(receiver).toOpaque())
    }
  }
}

extension HTTPError {
  /// Why there is no response.
  ///
  /// - Parameters:
  ///   - proxy: the host of the proxy on the way.
  ///   - certificateFile: the file whose roots were used.
  ///   - problem: of the transfer.
  init(_ outcome: tessera_curl_outcome, host: String, proxy: String?, certificateFile: String?, problem: Int) {
    switch outcome {
    case TESSERA_CURL_INVALID_ADDRESS: self = .invalidAddress
    case TESSERA_CURL_UNREACHABLE: self = proxy.map { .proxyRefused(host: $0) } ?? .unreachable(host: host)
    case TESSERA_CURL_CERTIFICATE_REFUSED: self = .certificateRefused(host: host, CertificateProblem(problem))
    case TESSERA_CURL_NOT_SECURE: self = .notSecure(host: host, TLSProblem(problem))
    // Without a file of its own the system's roots are damaged, and no server is trusted.
    case TESSERA_CURL_INVALID_ROOTS:
      self = certificateFile.map { .certificateFile($0) } ?? .certificateRefused(host: host)
    case TESSERA_CURL_INTERRUPTED: self = .interrupted(host: host)
    default: self = .invalidResponse
    }
  }
}

extension HTTPError.CertificateProblem {
  /// - Parameter number: the result of OpenSSL's verification, X509_V_ERR_….
  init(_ number: Int) {
    self =
      switch number {
      // libcurl compares the name itself, before it has a result.
      case 0, 1, 62: .otherName
      case 9: .notYetValid
      case 10: .expired
      case 2, 18...21: .unknownIssuer
      case 66...68: .weak
      default: .unknown
      }
  }
}

extension HTTPError.TLSProblem {
  /// - Parameter number: OpenSSL's reason SSL_R_…; from 1000, an alert of the server (RFC 8446, 6).
  init(_ number: Int) {
    self =
      switch number {
      case 267: .missing
      case 258, 1040, 1070, 1071: .nothingInCommon
      case 1112: .unknownName
      case 1116: .clientCertificate
      case 1120: .otherProtocol
      default: .other(number)
      }
  }
}

/// The headers of a request, each as the line that libcurl expects.
struct HeaderLines {
  private(set) var lines: [String]

  /// The headers of the caller and its entity tag are for the host of the request only.
  ///
  /// - Throws: `HTTPError.invalidResponse` for a header that HTTP does not permit, such as one with a line break.
  init(_ request: HTTPRequest, to address: HTTPSAddress) throws(HTTPError) {
    var headers: [(name: String, value: String)] = [
      ("User-Agent", "tessera"), ("Accept", "*/*"), ("Accept-Encoding", "identity"),
    ]
    if address.hasSameHost(as: request.address) {
      for header in request.headers {
        headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
        headers.append(header)
      }
      if let tag = request.entityTag { headers.append(("If-None-Match", tag)) }
      if case .post(_, let type) = request.method { headers.append(("Content-Type", type)) }
    }
    lines = []
    for header in headers { lines.append(try Self.line(header.name, header.value)) }
    // libcurl would wait for the server's consent before it sends a long body.
    if case .post = request.method { lines.append("Expect:") }
  }

  /// RFC 9110, 5.1 and 5.5.
  private static func line(_ name: String, _ value: String) throws(HTTPError) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy(isNameByte), value.utf8.allSatisfy(isValueByte) else {
      throw .invalidResponse
    }
    // A name with a colon and no value means that libcurl leaves out its own header.
    return value.utf8.allSatisfy(isSpace) ? "\(name);" : "\(name): \(value)"
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func isValueByte(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x20 }
}
