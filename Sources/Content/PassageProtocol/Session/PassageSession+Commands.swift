internal import TesseraJSON

/// Commands and their results (Passage.md, rules 6 and 7). Each identifier has one result.
extension PassageSession {
  private static let mostOpen = 16

  mutating func received(_ command: AutomationCommand) {
    guard known.insert(command.id) else {
      log("The server repeats a command; it is not done again.")
      return deliverAgain(command.id)
    }
    if let isRequired = command.userActionRequired { show(isRequired ? .automation : .ui) }
    guard open.count < Self.mostOpen else {
      return deliver(.error(command.id, "Too many commands have no result yet."))
    }
    if let domains = command.cookieDomains, !isConsented(domains) {
      return deliver(
        .error(command.id, "The user did not agree to sending cookies of these domains.", data: Self.notConsented))
    }
    switch command.action {
    case .navigate(let address, let successURLs): navigate(command, to: address, successURLs)
    case .script(let kind, let script): run(command, kind, script)
    case .done(let arguments): done(command, arguments)
    case .unknown(let type): deliver(.unsupported(command.id, type: type))
    }
  }

  static let notConsented: JSONValue = ["errorType": "domain_not_consented"]

  private func isConsented(_ texts: [String]) -> Bool {
    let domains = CookieDomains(texts)
    return domains.refusedCount == 0 && (consent?.domains ?? CookieDomains([])).contains(domains)
  }

  // MARK: - Open commands

  mutating func add(_ command: AutomationCommand, _ stage: OpenCommand.Stage) -> Int {
    let number = number()
    open.append(OpenCommand(number: number, command: command, stage: stage))
    return number
  }

  func index(_ number: Int) -> Int? { open.firstIndex { $0.number == number } }

  /// Ends a command with an error, which carries no page data.
  mutating func fail(_ number: Int, _ error: String, data: JSONValue? = nil) {
    guard let index = index(number) else { return }
    // Its result was there already, and only its page data was not: it is sent without it.
    if case .collecting(_, var result) = open[index].stage {
      result.pageData = .empty
      return finish(number, result)
    }
    finish(number, .error(open[index].command.id, error, data: data))
  }

  /// Ends a command well, after the page data was collected.
  mutating func succeed(_ number: Int, _ data: JSONValue?, status: CommandResult.Status = .success) {
    guard let index = index(number) else { return }
    if case .collecting = open[index].stage { return }
    cancelTimers(of: number)
    let result = CommandResult.success(open[index].command.id, data, nil, status: status)
    guard let consent, !consent.domains.isEmpty else {
      var result = result
      result.pageData = .empty
      return finish(number, result)
    }
    let collection = self.number()
    open[index].stage = .collecting(collection: collection, result)
    effects.append(
      .collect(
        PageCollection(
          collection: collection, cookies: cookieDomains(of: open[index].command), includesPage: isPageConsented,
          screenshot: permittedScreenshot, optimization: configuration.imageOptimization)))
    start(.pageData(collection: collection), SessionTiming.pageData)
  }

  /// The domains of the command, else those of the configuration, else those of the page's host.
  private func cookieDomains(of command: AutomationCommand) -> CookieDomains {
    if let domains = command.cookieDomains { return CookieDomains(domains) }
    let configured = CookieDomains(configuration.cookieDomains)
    guard configured.isEmpty else { return configured }
    return address.map { CookieDomains(ofHost: $0.host) } ?? CookieDomains([])
  }

  mutating func collected(_ data: PageData, collection: Int) {
    for command in open {
      guard case .collecting(collection, var result) = command.stage else { continue }
      cancel(.pageData(collection: collection))
      result.pageData = consent.map { data.limited(to: cookieDomains(of: command.command), consent: $0) } ?? .empty
      if !mayHaveScreenshot(since: collection) { result.pageData?.screenshot = nil }
      return finish(command.number, result)
    }
  }

  private mutating func finish(_ number: Int, _ result: CommandResult) {
    guard let index = index(number) else { return }
    let command = open.remove(at: index)
    cancelTimers(of: number)
    if case .collecting(let collection, _) = command.stage { cancel(.pageData(collection: collection)) }
    deliver(result)
    if let done = command.done { afterDone(done) }
  }

  private mutating func cancelTimers(of number: Int) {
    cancel(.commandLimit(command: number))
    cancel(.readyCheck(command: number))
  }

  mutating func exceededLimit(_ number: Int) {
    guard let index = index(number) else { return }
    switch open[index].stage {
    case .loading(let address, _):
      effects.append(.stopLoading(.automation))
      isLoading = false
      endLoad()
      fail(number, "The page was not loaded in time.", data: ["url": .string(address)])
    case .waitingForAddress, .waitingForLoad, .waitingForPageObject:
      fail(number, "The page was not ready for the script in time.")
    case .running: fail(number, "The script had no result in time.")
    case .recording, .collecting: break
    }
  }

  // MARK: - done

  private mutating func done(_ command: AutomationCommand, _ arguments: DoneArguments) {
    show(.ui)
    guard arguments.isSuccess else {
      deliver(.error(command.id, arguments.error ?? ServerEvent.unknownError))
      return afterDone(arguments)
    }
    let number = add(command, .recording)
    if let index = index(number) { open[index].done = arguments }
    succeed(number, arguments.data)
  }

  /// What follows the result: the callback, and the page for the end.
  private mutating func afterDone(_ arguments: DoneArguments) {
    if arguments.isSuccess {
      complete(
        PassageSuccessData(
          history: arguments.history ?? connectionData?.compactMap { PassageHistoryItem(.object($0)) } ?? [],
          connectionId: arguments.connectionId ?? connectionId ?? "", data: arguments.data))
    } else {
      hasReportedFailure = true
      report(PassageErrorData(error: arguments.error ?? ServerEvent.unknownError, data: arguments.data))
    }
    redirectAddress = StartPage.redirect(
      servers, token: token, agentName: config.agentName, isSuccess: arguments.isSuccess,
      error: arguments.isSuccess ? nil : arguments.error ?? ServerEvent.unknownError)
    start(.redirect, SessionTiming.redirect)
  }

  mutating func redirect() {
    // The page may have switched it off meanwhile.
    guard redirectsOnDone, let redirectAddress else { return }
    effects.append(.load(PageLoad(.ui, redirectAddress, ignoresCache: true)))
  }
}
