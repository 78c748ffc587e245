package import TesseraJSON

/// What happens to a session. The owner of the session passes it with the time at which it happened.
package enum PassageInput: Sendable, Equatable {
  // MARK: The beginning

  /// The program opens Passage. A second one is ignored while the first is shown.
  case open(SessionOptions)
  /// The window could not be shown. The reason is a sentence.
  case presentationFailed(reason: String)
  /// The answer to `PassageEffect.detectUserAgent`.
  case userAgent(String)
  /// The user's answer to `PassageEffect.askConsent`.
  case consent(isGiven: Bool)
  /// The answer to `PassageEffect.send`.
  case response(request: Int, RequestOutcome)

  // MARK: The socket

  case socket(SocketInput)

  // MARK: The views

  case navigation(PassageView, NavigationInput)
  /// Whether the automation view has a page to go back to; also the answer to `PassageEffect.askHistory`.
  case history(canGoBack: Bool)
  /// The view is opaque now, after `PassageEffect.show`.
  case shown(PassageView)
  /// A page sent a message. `origin` is that of its frame as WebKit serialises it.
  case message(PassageView, origin: String, isFromTopFrame: Bool, text: String)
  /// The answer to `PassageEffect.checkPage`: whether the page object is there.
  case pageChecked(check: Int, isReady: Bool)
  /// The answer to `PassageEffect.run`.
  case scriptFinished(run: Int, ScriptOutcome)
  /// The answer to `PassageEffect.collect`. The session itself leaves out what consent does not cover.
  case pageData(collection: Int, PageData)
  /// The answer to `PassageEffect.takeScreenshot`: a data URI, or nil if there is no picture.
  case screenshot(String?)
  /// The process of the pages of this view ended.
  case processEnded(PassageView)
  /// A page called `window.open`, or followed a link for another window. The effects come at once, so that the handler
  /// of the signal can make a view for `PassageEffect.openPopup`.
  case popup(PassageView, address: String)
  /// A popup is gone: its page or the user closed it.
  case popupClosed
  /// The sheet with a website is gone. Until then no picture of the whole window is taken.
  case websiteClosed

  // MARK: The user

  case backPressed
  case closePressed
  /// The page has no function that asks, or the function threw, after `PassageEffect.askCloseConfirmation`.
  case closeConfirmationFailed
  /// The window manager closed the window.
  case windowClosed
  /// The button of the bottom sheet was pressed, with the text of its field.
  case bottomSheetSubmitted(String?)
  /// The user dragged the bottom sheet down.
  case bottomSheetClosed

  // MARK: The program

  case host(HostRequest)
  case appState(AppState)

  case timer(PassageTimer)
}

/// What the owner of a session has to do, in the order of the array.
package enum PassageEffect: Sendable, Equatable {
  // MARK: The beginning and the end

  /// Show the window with both views. `PassageInput.presentationFailed` says that this is impossible.
  case present
  /// Find out the user agent of the automation view; answered by `PassageInput.userAgent`.
  case detectUserAgent
  /// Ask the user in the words of the request; answered by `PassageInput.consent`.
  case askConsent(ConsentRequest)
  /// Hide the window at once. The process still says goodbye to the server.
  case dismiss
  /// The session is over: release both views; cookies and storage stay. It comes last, once.
  case end(PassageExitReason)

  // MARK: The views

  case load(PageLoad)
  case stopLoading(PassageView)
  case reload(PassageView)
  case goBack(PassageView)
  case goForward(PassageView)
  /// Say `PassageInput.history` again.
  case askHistory
  /// Make this view opaque and the other one transparent, in 200 ms (ease-in-out), and say `PassageInput.shown` then.
  case show(PassageView)
  /// Show or hide the back button, in 200 ms.
  case setBackButton(isVisible: Bool)
  /// Release the view and make it anew, after its process ended. It shows no page. User agent and global script stay.
  case recreate(PassageView)
  /// For the automation view.
  case setUserAgent(String)
  /// Run this script in every document of the automation view that begins from now on. Empty for none.
  case setGlobalScript(String)
  /// Say whether the page object of the automation view is there, and inject it if not: `PassageInput.pageChecked`.
  case checkPage(check: Int)
  case run(ScriptRun)
  /// Collect what a page is and stores; answered by `PassageInput.pageData`.
  case collect(PageCollection)
  /// Answered by `PassageInput.screenshot`. The window shows a sign for the user.
  case takeScreenshot(ScreenshotKind, ImageOptimization)
  /// Remove these cookies of the web profile before the next effect; storage stays. nil for all cookies.
  case clearCookies(CookieDomains?)
  /// Call `showCloseConfirmation()` of the UI page, or post `CLOSE_CONFIRMATION_REQUEST` to it.
  case askCloseConfirmation
  case openPopup
  /// Open the address outside of Passage. It is on the list of allowed ones.
  case openExternally(String)
  case showBottomSheet(BottomSheet)
  /// Replace the content of the open bottom sheet.
  case updateBottomSheet(BottomSheet)
  case hideBottomSheet
  /// Show a page of https in a sheet, or load it already without showing it.
  case showWebsite(String)
  case preloadWebsite(String)
  case setTitle(String)
  /// Whether the soft keyboard appears for the UI page.
  case setKeyboard(isEnabled: Bool)

  // MARK: The servers

  case connectSocket(SocketTarget)
  case disconnectSocket
  case emit(SocketEmission)
  /// Send a request over http, follow no redirect, and say `PassageInput.response`.
  case send(request: Int, PassageRequest)
  /// Append this line to the log of what was sent.
  case record(SentEntry)

  // MARK: The program

  case callback(PassageCallback)
  /// Do what the program asked for and no rule limits. The owner answers the program; requests that the session does
  /// itself have the answer null.
  case perform(HostRequest)
  /// Write it into the log. It has neither secrets nor personal data.
  case log(String)

  // MARK: Time

  /// Say `PassageInput.timer` after this time. A timer that runs already starts anew.
  case startTimer(PassageTimer, Duration)
  case cancelTimer(PassageTimer)
}

/// One of the two views. Commands never run in the UI view.
public enum PassageView: String, Sendable, CaseIterable {
  case ui, automation

  /// The number that the original gives the view.
  public var tag: Int { self == .ui ? 1 : 2 }
}

/// What a program opens Passage with.
package struct SessionOptions: Sendable, Equatable {
  /// The token of the program's server. It is sent to the configured servers and appears nowhere else.
  package var intentToken: String
  /// The nine letters and digits at the end of the session's name. The owner draws them at random.
  package var sessionSuffix: String

  package init(intentToken: String, sessionSuffix: String) {
    self.intentToken = intentToken
    self.sessionSuffix = sessionSuffix
  }
}

/// What the socket says. The payload of an event is its first argument, or null.
package enum SocketInput: Sendable, Equatable {
  /// How many bytes a message for the server may have, as its handshake says (`maxPayload`), or nil if it says nothing.
  /// It comes before `connected`.
  case maximumPayload(Int?)
  /// The namespace is joined, the first time or again.
  case connected
  /// The connection is gone. The socket reconnects by itself.
  case disconnected
  /// A transport error, or a refusal of the namespace; the reason is for the error callback.
  case failed(reason: String)
  case event(name: String, payload: JSONValue)
  /// The server acknowledged the event of this name, or it was written and no acknowledgement is possible.
  case acknowledged(event: String)
}

/// What a view says of its pages. The empty document that clears the history is not reported, and neither is the end of
/// a load that failed.
package enum NavigationInput: Sendable, Equatable {
  case started(String)
  case redirected(String)
  case committed(String)
  case finished(String)
  /// The page could not be loaded. The reason is a sentence for the server. `isReplaced`: another load took its place.
  case failed(String, reason: String, isReplaced: Bool = false)
  /// The address changed without a load.
  case addressChanged(String)
}

package enum ScriptOutcome: Sendable, Equatable {
  case value(JSONValue)
  /// The value is undefined, or none that JSON knows.
  case nothing
  /// The script threw, or could not be run.
  case error(String)
}

package enum RequestOutcome: Sendable, Equatable {
  case received(status: Int, body: [UInt8])
  /// No response came. The reason is a sentence.
  case failed(reason: String)
}

/// The states of the program.
package enum AppState: String, Sendable, CaseIterable {
  case active, inactive
  /// The window is minimised.
  case background
}

package enum PassageTimer: Sendable, Hashable {
  /// Before and during the search for the user agent.
  case userAgentDelay, userAgentLimit
  /// The start page must be there (30 s).
  case startPage
  /// The page is not ready for the command with this number yet (500 ms).
  case readyCheck(command: Int)
  /// The command with this number must have its result.
  case commandLimit(command: Int)
  /// The page data of this collection must be there (5 s).
  case pageData(collection: Int)
  /// After a navigation of the automation view (1 s).
  case repeatScript
  /// After `completeRecording` (300 ms).
  case recording
  /// Before the redirect page (500 ms).
  case redirect
  /// After the back button was used (300 ms).
  case backRecheck
  /// Between two screenshots.
  case screenshot
  /// Before the request with this number is sent again (1 s).
  case retry(request: Int)
  /// Before statistics of use are sent (5 s), and sent again (1, 2 and 3 s).
  case analytics, analyticsRetry
  /// The server has so long to acknowledge `modalExit` (1 s).
  case modalExit
}

/// A page to load.
package struct PageLoad: Sendable, Equatable {
  package var view: PassageView
  package var address: String
  /// Without the cache.
  package var ignoresCache = false
  /// Clear the history first, by loading an empty document.
  package var clearsHistory = false

  package init(_ view: PassageView, _ address: String, ignoresCache: Bool = false, clearsHistory: Bool = false) {
    self.view = view
    self.address = address
    self.ignoresCache = ignoresCache
    self.clearsHistory = clearsHistory
  }
}

/// A script of the server, or of the program, for the automation view.
package struct ScriptRun: Sendable, Equatable {
  package enum Mode: Sendable, Equatable {
    /// The value of the script is its result; a promise is awaited.
    case value
    /// The result comes as a message of the page. The end of the script says only whether it threw.
    case message
  }

  package var run: Int
  package var script: String
  package var mode: Mode

  package init(run: Int, script: String, mode: Mode) {
    self.run = run
    self.script = script
    self.mode = mode
  }
}

/// What to collect of the automation view's page. Password fields are masked in the HTML.
package struct PageCollection: Sendable, Equatable {
  package var collection: Int
  /// The cookies of these domains.
  package var cookies: CookieDomains
  /// Whether HTML, storages and the address may leave the machine.
  package var includesPage: Bool
  package var screenshot: ScreenshotKind?
  package var optimization: ImageOptimization

  package init(
    collection: Int, cookies: CookieDomains, includesPage: Bool, screenshot: ScreenshotKind? = nil,
    optimization: ImageOptimization = ImageOptimization()
  ) {
    self.collection = collection
    self.cookies = cookies
    self.includesPage = includesPage
    self.screenshot = screenshot
    self.optimization = optimization
  }
}

/// What a screenshot shows.
package enum ScreenshotKind: String, Sendable {
  /// The whole window: `record`.
  case modal
  /// The automation view only: `captureScreenshot`. A hidden one is made visible underneath for 50 ms.
  case automation
}

/// A socket to open, as a new connection.
package struct SocketTarget: Sendable, Equatable {
  /// With `https` or `http`, without a path.
  package var address: String
  /// For example `/ws`.
  package var namespace: String
  /// The members of the query, not encoded.
  package var query: [String: String]

  package init(address: String, namespace: String, query: [String: String]) {
    self.address = address
    self.namespace = namespace
    self.query = query
  }
}

/// An event for the server.
package struct SocketEmission: Sendable, Equatable {
  package var name: String
  package var payload: JSONValue
  /// Whether the owner says `SocketInput.acknowledged` when the server has it.
  package var wantsAcknowledgement = false

  package init(_ name: String, _ payload: JSONValue, wantsAcknowledgement: Bool = false) {
    self.name = name
    self.payload = payload
    self.wantsAcknowledgement = wantsAcknowledgement
  }
}

/// What a program asks of an open session (Passage.md, rule 19).
package struct HostRequest: Sendable, Equatable {
  package enum Call: Sendable, Equatable {
    case close
    /// Loads the address in the visible view.
    case navigate(String)
    case goBack, goForward
    case cookies(of: String)
    case setCookie(PassageCookie, for: String)
    case clearCookies(of: String)
    case clearCookiesOfDomains([String])
    case clearAllCookies
    case clearWebViewState, clearWebViewData, resetWebViewURLs, releaseResources
    case injectJavaScript(String, PassageView)
    case completeRecording(JSONValue)
    case captureRecordingData(JSONValue)

    /// Whether both views have an empty document afterwards.
    package var resetsViews: Bool { self == .clearWebViewState || self == .resetWebViewURLs }
  }

  /// The number by which the owner finds who asked.
  package var id: Int
  package var call: Call

  package init(id: Int, _ call: Call) {
    self.id = id
    self.call = call
  }
}
