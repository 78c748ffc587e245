public import CTesseraWebKitGTK
public import TesseraCore

/// A web view: shows pages of the addresses that its rules allow, and gives those of them with rights its channels.
@MainActor
public final class ContentView {
  /// The widget, for a container of GTK.
  public let widget: UnsafeMutablePointer<GtkWidget>
  public let session: ContentSession
  public let behavior: ContentBehavior
  let rules: any ContentRules
  /// The present document, if it may use the channels.
  public private(set) var document: ContentDocument?
  /// Called when the view shows no page; the view keeps its last picture.
  public var onFailure: (@MainActor (ContentFailure) -> Void)?
  /// Called when a page was loaded completely.
  public var onLoaded: (@MainActor () -> Void)?
  /// Called when the title of the page changes.
  public var onTitle: (@MainActor (String) -> Void)?
  /// Called when a page calls `window.close()`.
  public var onClose: (@MainActor () -> Void)?
  /// Called with the address of a link that the user followed and the rules refuse.
  public var onRefusedLink: (@MainActor (String) -> Void)?
  /// Called when the process of the page does not answer any more, and when it answers again.
  public var onResponsive: (@MainActor (_ isResponsive: Bool) -> Void)?
  /// Asks the user for the camera or the microphone. Without it, they are refused.
  public var onMediaRequest: (@MainActor (MediaRequest) -> Void)?
  /// Called with each step of the view's way from page to page.
  package var onNavigation: (@MainActor (ContentNavigation) -> Void)?
  /// Decides what becomes of a popup. Without it, none opens.
  package var onPopup: (@MainActor (ContentPopup) -> ContentPopup.Decision)?
  /// Whether dialogs of pages (`alert`, `confirm`, `prompt`) end at once without a question, since nobody sees the view.
  package var endsDialogs = false

  let scripts: ChannelScripts
  private let channels: [ContentChannel]
  private let manager: OpaquePointer
  private let signals = Signals()
  private var isClosed = false
  /// The view whose process shows the pages of this one, too.
  private weak var sibling: ContentView?
  /// The address that the program wants to show, until it is shown.
  private var requested: String?
  private var hasFailed = false
  /// Whether a document was committed since the last load began.
  private(set) var hasCommitted = false
  /// Whether the view has shown a page.
  var hasPage: Bool { !isClosed && (hasCommitted || !shown.isEmpty) }
  /// Whether the program wants nothing more of the page, which may still run.
  private var isAbandoned = false
  /// Whether the load that ends was ended by the program or another load.
  private var isCancelled = false
  private var pageInitiated: PageInitiatedLoad?
  /// The address of the document that is shown. WebKit's address may already be that of the next one.
  public private(set) var shown = ""
  /// The save dialog that is open. A page opens one at a time.
  var download: SavedDownload?
  private static var views: [UnsafeMutableRawPointer: WeakView] = [:]

  private final class WeakView {
    weak var view: ContentView?
    init(_ view: ContentView) { self.view = view }
  }

  /// - Parameters:
  ///   - session: its cookies and data.
  ///   - rules: which addresses it shows, and which have rights.
  ///   - channels: the channels of documents with rights.
  ///   - behavior: what its pages may do besides.
  ///   - sibling: another view of the same session, with content of the same author. One process shows the pages of both:
  ///     it needs less memory, and if it ends, both views lose their pages.
  public init(
    session: ContentSession, rules: any ContentRules, channels: [ContentChannel] = [],
    behavior: ContentBehavior = ContentBehavior(), sharingProcessOf sibling: ContentView? = nil
  ) {
    self.session = session
    self.rules = rules
    self.behavior = behavior
    self.channels = channels
    self.sibling = sibling
    scripts = ChannelScripts(channels)
    manager = webkit_user_content_manager_new()
    let settings = Self.settings(behavior)
    // The setting "media-playback-requires-user-gesture" holds for sound only: a film whose sound WebKit does not know yet
    // would start.
    let autoplay = behavior.playsWithoutGesture ? WEBKIT_AUTOPLAY_ALLOW_WITHOUT_SOUND : WEBKIT_AUTOPLAY_DENY
    let policies = GObjectProperties([
      ("autoplay", .enumeration(webkit_autoplay_policy_get_type(), autoplay.rawValue))
    ]).make(webkit_website_policies_get_type())
    let view = GObjectProperties([
      ("user-content-manager", .object(gpointer(manager))), ("settings", .object(gpointer(settings))),
      ("website-policies", .object(policies)),
      // A related view has the session of the other one.
      sibling.map { ("related-view", .object(gpointer($0.widget))) }
        ?? ("network-session", .object(gpointer(session.pointer))),
    ]).make(webkit_web_view_get_type())
    g_object_ref_sink(view)
    g_object_unref(gpointer(settings))
    g_object_unref(policies)
    widget = view.assumingMemoryBound(to: GtkWidget.self)
    Self.views[view] = WeakView(self)
    addChannels()
    connectSignals()
    refuseDrops()
  }

  isolated deinit {
    close()
    Self.views[UnsafeMutableRawPointer(widget)] = nil
    g_object_unref(gpointer(widget))
    g_object_unref(gpointer(manager))
  }

  /// The view of a web view of WebKit.
  static func view(of pointer: UnsafeMutablePointer<WebKitWebView>) -> ContentView? {
    views[UnsafeMutableRawPointer(pointer)]?.view
  }

  var webView: UnsafeMutablePointer<WebKitWebView> { object(widget) }

  /// The window that contains the view.
  var window: UnsafeMutablePointer<GtkWindow>? { gtk_widget_get_root(widget).map { object($0) } }

  // MARK: - Pages

  /// Loads the address, unless the rules refuse it; then `onFailure` is called.
  public func load(_ address: String) { load(address, ignoringCache: false) }

  /// - Parameter ignoringCache: whether the server is asked even if there is a copy of the page.
  package func load(_ address: String, ignoringCache: Bool) {
    guard rules.mayNavigate(to: address) else {
      let refusal = ContentFailure.loadFailed(reason: "This window does not show pages of that address.")
      onNavigation?(.failed(address, refusal))
      onFailure?(refusal)
      return
    }
    requested = address
    hasCommitted = false
    isAbandoned = false
    guard ignoringCache, let request = webkit_uri_request_new(address) else {
      return webkit_web_view_load_uri(webView, address)
    }
    soup_message_headers_replace(webkit_uri_request_get_http_headers(request), "Cache-Control", "no-cache")
    webkit_web_view_load_request(webView, request)
    g_object_unref(gpointer(request))
  }

  /// Ends the document and the load, as a failure does, but without `onFailure`. Until the next `load`, the page gets no
  /// channel, shows no other address, and neither asks for the camera nor closes the view.
  package func abandonPage() {
    isAbandoned = true
    endDocument()
    // A load that has failed ends by itself.
    guard isLoading, !hasFailed else { return }
    hasFailed = true
    endPageInitiated(address)
    stopLoading()
  }

  /// Makes bundled content available to all views, and loads its start page.
  public func load(_ content: BundledContent, path: String = "index.html", query: String = "") {
    ContentScheme.add(content)
    load(content.address(path, query: query))
  }

  /// Ends the availability of bundled content, in all views. Pages that are shown stay.
  public static func remove(_ content: BundledContent) { ContentScheme.remove(content.name) }

  /// Ends the process of the page, and of all views that share it; `onFailure` follows.
  public func endProcess() { webkit_web_view_terminate_web_process(webView) }

  /// The address that the view shows; empty before the first page.
  public var address: String { webkit_web_view_get_uri(webView).map { String(cString: $0) } ?? "" }

  public var title: String { webkit_web_view_get_title(webView).map { String(cString: $0) } ?? "" }

  /// Goes back to the previous page.
  ///
  /// - Returns: whether there is one.
  public func goBack() -> Bool {
    guard webkit_web_view_can_go_back(webView) != 0 else { return false }
    webkit_web_view_go_back(webView)
    return true
  }

  /// Multiplies the size of the page, within the limits of `ContentBehavior`; 1 is its own size.
  public var zoom: Double {
    get { webkit_web_view_get_zoom_level(webView) }
    set { webkit_web_view_set_zoom_level(webView, min(3, max(0.5, newValue))) }
  }

  /// Ends the page and its process. Idempotent. The widget may still be shown, and is empty.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    signals.disconnectAll()
    pageInitiated = nil
    endDocument()
    download?.cancel()
    for handler in [scripts.handler, scripts.callHandler] {
      webkit_user_content_manager_unregister_script_message_handler(manager, handler, scripts.world)
    }
    webkit_user_content_manager_remove_all_scripts(manager)
    // The page of a popup ends with the widget; its process is also that of the page that opened it.
    if sibling?.isClosed != false { webkit_web_view_terminate_web_process(webView) }
  }

  // MARK: - Scripts

  /// Adds a script that runs in every following document, before the scripts of the page.
  ///
  /// - Parameters:
  ///   - source: JavaScript.
  ///   - world: the world in which it runs.
  ///   - isForAllFrames: whether it also runs in frames.
  public func addScript(_ source: String, in world: ContentChannel.World = .page, isForAllFrames: Bool = false) {
    let name: String? = if case .named(let name) = world { name } else { nil }
    add(ChannelScripts.Script(source: source, world: name, isForAllFrames: isForAllFrames))
  }

  /// Runs a script in the top frame, after the calls that were made before (`ContentDocument.call`). WebKit lets it do what
  /// a page may do when the user has just clicked.
  ///
  /// - Returns: the value as JSON; nil for `undefined`.
  /// - Throws: `ContentFailure.loadFailed` with the message of an exception, or if the page ended meanwhile.
  public func evaluate(_ script: String, in world: ContentChannel.World = .page) async throws -> String? {
    let name: String? = if case .named(let name) = world { name } else { nil }
    if let asked = document {
      await asked.sendCalls()
      // The script was meant for this document; and WebKit would keep a view that was closed.
      try Task.checkCancellation()
      guard asked.isCurrent else { throw ContentFailure.loadFailed(reason: "The page ended.") }
    }
    return try await Evaluation.run(script, world: name, in: webView)
  }

  private func addChannels() {
    guard !channels.isEmpty else { return }
    signals.on(gpointer(manager), "script-message-received::\(scripts.handler)", self, OpaquePointer?.self) {
      if let value = $1 { $0.received(value) }
    }
    signals.answer(
      gpointer(manager), "script-message-with-reply-received::\(scripts.callHandler)", self, OpaquePointer?.self,
      OpaquePointer?.self
    ) { view, token, reply in
      if let token, let reply { view.askedForCalls(token, reply) }
      return true
    }
    webkit_user_content_manager_register_script_message_handler(manager, scripts.handler, scripts.world)
    webkit_user_content_manager_register_script_message_handler_with_reply(
      manager, scripts.callHandler, scripts.world)
    for script in scripts.all { add(script) }
  }

  private func add(_ script: ChannelScripts.Script) {
    let frames = script.isForAllFrames ? WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES : WEBKIT_USER_CONTENT_INJECT_TOP_FRAME
    let start = WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START
    let added =
      script.world.map { webkit_user_script_new_for_world(script.source, frames, start, $0, nil, nil) }
      ?? webkit_user_script_new(script.source, frames, start, nil, nil)
    webkit_user_content_manager_add_script(manager, added)
    webkit_user_script_unref(added)
  }

  private func received(_ value: OpaquePointer) {
    guard let document, jsc_value_is_string(value) != 0, let text = takenText(jsc_value_to_string(value)),
      let message = ChannelScripts.Message(text), document.receivers.indices.contains(message.channel)
    else { return }
    if message.isFromTopFrame {
      guard message.token == document.token, message.origin == document.origin else { return }
    } else {
      guard channels[message.channel].frames == .all else { return }
    }
    let channel = channels[message.channel]
    guard channel.origin.map({ $0 == message.origin }) != false, message.text.utf16.count <= channel.maximumLength
    else { return }
    document.receivers[message.channel].receive(
      ContentMessage(
        text: String(message.text), isFromTopFrame: message.isFromTopFrame, origin: String(message.origin)))
  }

  private func askedForCalls(_ token: OpaquePointer, _ reply: OpaquePointer) {
    guard let document, jsc_value_is_string(token) != 0, takenText(jsc_value_to_string(token)) == document.token
    else { return }
    document.receive(CallRequest(reply, context: jsc_value_get_context(token)))
  }

  // MARK: - Documents

  private func connectSignals() {
    signals.on(gpointer(widget), "load-changed", self, WebKitLoadEvent.self) { $0.loadChanged($1) }
    signals.answer(
      gpointer(widget), "load-failed", self, WebKitLoadEvent.self, String?.self, UnsafeMutablePointer<GError>?.self
    ) { view, _, address, error in
      view.loadFailed(error, address)
      // No error page of WebKit.
      return true
    }
    signals.on(gpointer(widget), "web-process-terminated", self, WebKitWebProcessTerminationReason.self) {
      $0.processEnded($1)
    }
    signals.answer(
      gpointer(widget), "decide-policy", self, UnsafeMutablePointer<WebKitPolicyDecision>?.self,
      WebKitPolicyDecisionType.self
    ) { view, decision, type in decision.map { view.decide($0, type) } ?? false }
    signals.answer(gpointer(widget), "permission-request", self, OpaquePointer?.self) { view, request in
      if let request { view.permissionRequested(request) }
      return true
    }
    signals.on(gpointer(widget), "close", self) { if !$0.isAbandoned { $0.onClose?() } }
    signals.on(gpointer(widget), "notify::is-web-process-responsive", self) {
      $0.onResponsive?(webkit_web_view_get_is_web_process_responsive($0.webView) != 0)
    }
    signals.on(gpointer(widget), "notify::title", self) { $0.onTitle?($0.title) }
    signals.on(gpointer(widget), "notify::uri", self) { $0.onNavigation?(.addressChanged($0.address)) }
    signals.on(gpointer(widget), "resource-load-started", self, OpaquePointer?.self, OpaquePointer?.self) {
      view, resource, request in
      guard let resource, let address = webkit_uri_request_get_uri(request), let load = view.pageInitiated,
        webkit_web_view_get_main_resource(view.webView) == resource
      else { return }
      load.begin(resource, String(cString: address))
    }
    signals.answer(gpointer(widget), "create", self, OpaquePointer?.self) { view, action in
      action.flatMap { view.popup($0) }
    }
    connectRefusals()
  }

  private func loadChanged(_ event: WebKitLoadEvent) {
    switch event {
    case WEBKIT_LOAD_STARTED:
      hasFailed = false
      isCancelled = false
      let isOfPage = requested == nil && address == shown
      pageInitiated = isOfPage ? PageInitiatedLoad { [weak self] in self?.onNavigation?($0) } : nil
      if !isOfPage { onNavigation?(.started(address)) }
    case WEBKIT_LOAD_REDIRECTED:
      if pageInitiated == nil { onNavigation?(.redirected(address)) }
    case WEBKIT_LOAD_COMMITTED:
      endPageInitiated(address)
      committed()
      if !isAbandoned { onNavigation?(.committed(address)) }
    case WEBKIT_LOAD_FINISHED:
      // Comes after a failure, too.
      guard !hasFailed else { return }
      defer { if !hasFailed, !isCancelled { onNavigation?(.finished(address)) } }
      // WebKit refuses some addresses, for example of ports that belong to mail servers, by an empty page.
      if address == "about:blank", requested != nil, requested != address {
        fail(.loadFailed(reason: "WebKit does not load pages of that address."))
      } else if !isCancelled {
        onLoaded?()
      }
      // The load that replaced a cancelled one still leads to the address.
      if !isCancelled || hasCommitted { requested = nil }
    default: break
    }
  }

  /// - Parameter address: where the load began, if this is not known yet.
  private func endPageInitiated(_ address: String) {
    pageInitiated?.start(address)
    pageInitiated = nil
  }

  /// A document replaced the previous one. WebKit reports this before any message of the new document.
  private func committed() {
    endDocument()
    hasCommitted = true
    let address = address
    shown = address
    guard !isAbandoned, rules.mayUseChannels(address),
      let origin = BundledContent.origin(of: address) ?? WebOrigin(url: address)?.canonical
    else { return }
    let document = ContentDocument(address: address, origin: origin, in: self)
    self.document = document
    webkit_web_view_evaluate_javascript(
      webView, ChannelScripts.begin(document.token), -1, scripts.world, nil, nil, nil, nil)
    document.open(channels)
  }

  private func endDocument() {
    let ending = document
    document = nil
    ending?.end()
  }

  /// - Parameter address: nil for the address that the view names.
  private func fail(_ failure: ContentFailure, of address: String? = nil) {
    hasFailed = true
    endDocument()
    endPageInitiated(address ?? self.address)
    onNavigation?(.failed(address ?? self.address, failure))
    onFailure?(failure)
  }

  private func loadFailed(_ error: UnsafeMutablePointer<GError>?, _ address: String?) {
    guard let error else { return }
    let isCancelled =
      g_error_matches(error, webkit_network_error_quark(), gint(WEBKIT_NETWORK_ERROR_CANCELLED.rawValue)) != 0
    let isInterrupted =
      isCancelled
      || g_error_matches(
        error, webkit_policy_error_quark(),
        gint(WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE.rawValue)) != 0
    guard !isInterrupted else {
      // The address that the program wants leads elsewhere, or to something that is not a page.
      if requested != nil, !hasCommitted, !hasFailed, !isCancelled {
        fail(.loadFailed(reason: "It leads to something that this window does not show."))
      } else if !hasFailed {
        self.isCancelled = true
        endPageInitiated(address ?? self.address)
        onNavigation?(.cancelled(address ?? self.address))
      }
      return
    }
    fail(.loadFailed(reason: Self.sentence(String(cString: error.pointee.message))), of: address)
  }

  /// A message of a library as a sentence.
  private static func sentence(_ text: String) -> String {
    text.hasSuffix(".") || text.isEmpty ? text : text + "."
  }

  private func processEnded(_ reason: WebKitWebProcessTerminationReason) {
    fail(.processEnded(outOfMemory: reason == WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT))
  }

  // MARK: - Decisions

  /// - Returns: whether the decision is made; otherwise WebKit decides.
  private func decide(
    _ decision: UnsafeMutablePointer<WebKitPolicyDecision>, _ type: WebKitPolicyDecisionType
  ) -> Bool {
    switch type {
    case WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION:
      let action = webkit_navigation_policy_decision_get_navigation_action(OpaquePointer(decision))
      let request = webkit_navigation_action_get_request(action)
      let address = webkit_uri_request_get_uri(request).map { String(cString: $0) } ?? ""
      guard !isAbandoned, mayShow(address) else {
        webkit_policy_decision_ignore(decision)
        let isLink = webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_LINK_CLICKED
        if isLink, webkit_navigation_action_is_user_gesture(action) != 0 { onRefusedLink?(address) }
        return true
      }
      webkit_policy_decision_use(decision)
      return true
    case WEBKIT_POLICY_DECISION_TYPE_RESPONSE: return decideResponse(decision)
    case WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION where onPopup != nil:
      // The popup follows.
      webkit_policy_decision_use(decision)
      return true
    default:
      webkit_policy_decision_ignore(decision)
      return true
    }
  }

  /// `about:`, `data:` and `blob:` addresses have no rights, so no rule is asked. They are content of the page that names them.
  private func mayShow(_ address: String) -> Bool {
    if ["about:", "data:", "blob:"].contains(where: address.hasPrefix) { return true }
    return rules.mayNavigate(to: address)
  }

  private func decideResponse(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> Bool {
    let pointer = OpaquePointer(decision)
    if webkit_response_policy_decision_is_main_frame_main_resource(pointer) != 0 {
      let response = webkit_response_policy_decision_get_response(pointer)
      let status = Int(webkit_uri_response_get_status_code(response))
      if status >= 400, !behavior.showsErrorPages {
        webkit_policy_decision_ignore(decision)
        fail(.serverError(status: status))
        return true
      }
    }
    if webkit_response_policy_decision_is_mime_type_supported(pointer) == 0 {
      if behavior.savesFiles, document != nil {
        webkit_policy_decision_download(decision)
      } else {
        webkit_policy_decision_ignore(decision)
      }
      return true
    }
    webkit_policy_decision_use(decision)
    return true
  }

  /// - Returns: the widget of the view that shows the popup. WebKit takes no reference of its own at once.
  private func popup(_ action: OpaquePointer) -> gpointer? {
    guard let onPopup else { return nil }
    let address = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)).map { String(cString: $0) }
    let popup = ContentPopup(
      address: address ?? "", isUserGesture: webkit_navigation_action_is_user_gesture(action) != 0)
    switch onPopup(popup) {
    case .refuse: return nil
    case .loadHere:
      load(popup.address)
      return nil
    case .open(let view): return gpointer(view.widget)
    }
  }

  private func permissionRequested(_ request: OpaquePointer) {
    guard !isAbandoned, MediaRequest.isMedia(request), rules.mayAskForCameraAndMicrophone(shown), let onMediaRequest
    else {
      webkit_permission_request_deny(request)
      return
    }
    onMediaRequest(MediaRequest(request))
  }

  /// The signals whose only answer is a refusal. See `ContentBehavior`.
  private func connectRefusals() {
    signals.answer(gpointer(widget), "show-notification", self) { _ in true }
    if !behavior.prints { signals.answer(gpointer(widget), "print", self) { _ in true } }
    signals.answer(gpointer(widget), "enter-fullscreen", self) { _ in true }
    if !behavior.isInspectable {
      signals.answer(gpointer(widget), "context-menu", self) { _ in true }
    }
    signals.answer(gpointer(widget), "authenticate", self, OpaquePointer?.self) { _, request in
      // Without a password, the server's refusal is the answer.
      webkit_authentication_request_authenticate(request, nil)
      return true
    }
    signals.answer(gpointer(widget), "query-permission-state", self, OpaquePointer?.self) { _, query in
      webkit_permission_state_query_finish(query, WEBKIT_PERMISSION_STATE_DENIED)
      return true
    }
    if !behavior.opensFiles {
      signals.answer(gpointer(widget), "run-file-chooser", self, OpaquePointer?.self) { _, request in
        webkit_file_chooser_request_cancel(request)
        return true
      }
    }
    // A dialog of `beforeunload` is the only one that may keep the view open.
    signals.answer(gpointer(widget), "script-dialog", self, OpaquePointer?.self) { view, dialog in
      guard webkit_script_dialog_get_dialog_type(dialog) != WEBKIT_SCRIPT_DIALOG_BEFORE_UNLOAD_CONFIRM else {
        webkit_script_dialog_confirm_set_confirmed(dialog, 1)
        return true
      }
      // Handled without an answer: `confirm` is false, and `prompt` null.
      return view.endsDialogs
    }
  }

  /// Removes WebKit's own drop target: dropped addresses would be navigated to, and dropped files be read.
  private func refuseDrops() {
    let controllers = gtk_widget_observe_controllers(widget)
    defer { g_object_unref(gpointer(controllers)) }
    var targets: [gpointer] = []
    for index in 0..<g_list_model_get_n_items(controllers) {
      guard let controller = g_list_model_get_item(controllers, index) else { continue }
      let type = controller.assumingMemoryBound(to: GTypeInstance.self)
      let isTarget =
        g_type_check_instance_is_a(type, gtk_drop_target_get_type()) != 0
        || g_type_check_instance_is_a(type, gtk_drop_target_async_get_type()) != 0
      if isTarget { targets.append(controller) }
      g_object_unref(controller)
    }
    for target in targets { gtk_widget_remove_controller(widget, OpaquePointer(target)) }
  }

  private static func settings(_ behavior: ContentBehavior) -> OpaquePointer {
    let settings = webkit_settings_new()!
    let values: [((OpaquePointer?, gboolean) -> Void, Bool)] = [
      (webkit_settings_set_javascript_can_open_windows_automatically, false),
      (webkit_settings_set_javascript_can_access_clipboard, false),
      (webkit_settings_set_enable_developer_extras, behavior.isInspectable),
      (webkit_settings_set_enable_write_console_messages_to_stdout, false),
      (webkit_settings_set_media_playback_requires_user_gesture, !behavior.playsWithoutGesture),
      (webkit_settings_set_media_playback_allows_inline, true),
      (webkit_settings_set_enable_media_stream, true),
      (webkit_settings_set_enable_fullscreen, false),
      // A page that is gone must be gone: its document ends with it.
      (webkit_settings_set_enable_page_cache, false),
      (webkit_settings_set_allow_file_access_from_file_urls, false),
      (webkit_settings_set_allow_universal_access_from_file_urls, false),
      (webkit_settings_set_enable_back_forward_navigation_gestures, false),
    ]
    for (set, value) in values { set(settings, value.gboolean) }
    return settings
  }
}
