import CTesseraWebKitGTK
import TesseraCore

/// Answers requests for bundled content, in every view of this process.
@MainActor
enum ContentScheme {
  private static var contents: [String: BundledContent] = [:]
  private static var isRegistered = false

  /// Makes content available. Content with a name that is in use replaces it.
  static func add(_ content: BundledContent) {
    contents[content.name] = content
    guard !isRegistered else { return }
    isRegistered = true
    let context = webkit_web_context_get_default()
    webkit_web_context_register_uri_scheme(
      context, BundledContent.scheme,
      { request, _ in
        guard let request else { return }
        MainActor.assumeIsolated { ContentScheme.answer(request) }
      }, nil, nil)
    let security = webkit_web_context_get_security_manager(context)
    webkit_security_manager_register_uri_scheme_as_secure(security, BundledContent.scheme)
    webkit_security_manager_register_uri_scheme_as_cors_enabled(security, BundledContent.scheme)
  }

  /// Ends the content's availability: its addresses lead nowhere.
  static func remove(_ name: String) { contents[name] = nil }

  private static func answer(_ request: OpaquePointer) {
    guard let address = webkit_uri_scheme_request_get_uri(request).map({ String(cString: $0) }),
      let origin = BundledContent.origin(of: address),
      let content = contents[String(origin.dropFirst(BundledContent.scheme.count + 3))],
      let file = content.files[path(address, origin)]
    else {
      let error = g_error_new_literal(
        webkit_network_error_quark(), gint(WEBKIT_NETWORK_ERROR_FILE_DOES_NOT_EXIST.rawValue),
        "The content has no such file.")
      webkit_uri_scheme_request_finish_error(request, error)
      g_error_free(error)
      return
    }
    let bytes = file.bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    let stream = g_memory_input_stream_new_from_bytes(bytes)
    let response = webkit_uri_scheme_response_new(stream, gint64(file.bytes.count))
    webkit_uri_scheme_response_set_content_type(response, file.mediaType)
    let headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE)
    for (name, value) in [
      // Also as a header: `nosniff` looks there.
      ("Content-Type", file.mediaType), ("X-Content-Type-Options", "nosniff"),
      ("Content-Security-Policy", content.securityPolicy),
      ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ] {
      soup_message_headers_append(headers, name, value)
    }
    // Takes the headers.
    webkit_uri_scheme_response_set_http_headers(response, headers)
    webkit_uri_scheme_request_finish_with_response(request, response)
    g_object_unref(gpointer(response))
    g_object_unref(gpointer(stream))
    g_bytes_unref(bytes)
  }

  private static func path(_ address: String, _ origin: String) -> String {
    let path = address.dropFirst(origin.count).prefix { $0 != "?" && $0 != "#" }.drop { $0 == "/" }
    return path.isEmpty ? "index.html" : String(path)
  }
}
