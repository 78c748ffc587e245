extension Example {
  /// The bridge, its storage and its grants; windows, flows and texts.
  static let web: [Example] = [
    Example(
      command: "tessera call", sentence: "Ask whether documents can be read:",
      line: "tessera call nfc.isSupported --virtual", output: "true"),
    Example(
      command: "tessera call", sentence: "Generate a key of the bridge:",
      line: #"tessera call crypto.generateKey '{"keyRef": "k1"}'"#, output: "."),
    Example(
      command: "tessera call", sentence: "Read a document with the parameters in a file:",
      line: "tessera call nfc.scan - < key.json", needs: "a contactless reader and a document"),
    Example(
      command: "tessera serve", sentence: "Serve this user's programs, with the virtual chip, until Ctrl-C:",
      line: "tessera serve --virtual", output: "ready .*bridge\\.sock", end: .bySignal),
    Example(
      command: "tessera serve", sentence: "Serve a web page, too, on a free port:",
      line: """
        tessera serve --virtual --websocket 127.0.0.1:0 \\
          --grant http://localhost:5173=nfc,crypto
        """, output: "ready .*127\\.0\\.0\\.1:", end: .bySignal),
    Example(
      command: "tessera service",
      sentence: "Show whether the service is installed. Without a service, the exit status is 3:",
      line: "tessera service status", status: 3, output: "units"),
    Example(
      command: "tessera service install", sentence: "Start the service for web pages with the session:",
      line: "tessera service install --websocket 127.0.0.1:8484", needs: "a session with systemd"),
    Example(
      command: "tessera service status", sentence: "Without a service, the exit status is 3:",
      line: "tessera service status", status: 3, output: "units"),
    Example(
      command: "tessera service uninstall", sentence: "Remove the units:", line: "tessera service uninstall",
      needs: "a session with systemd"),
    Example(
      command: "tessera storage", sentence: "List who has stored what:", line: "tessera storage list", output: "local",
      preparation: stored),
    Example(
      command: "tessera storage list", sentence: "List the owners for a program:", line: "tessera storage list --json",
      output: #""owners""#, preparation: stored),
    Example(
      command: "tessera storage clear", sentence: "Remove everything that this user's programs stored:",
      line: "tessera storage clear local --yes", preparation: stored),
    Example(
      command: "tessera storage guards", sentence: "List the entries of a page that require a finger:",
      line: "tessera storage guards https://wallet.example"),
    Example(
      command: "tessera storage unguard", sentence: "Let the page read an entry without a finger:",
      line: "tessera storage unguard https://wallet.example self_private_key", needs: "an entry with a guard"),
    Example(
      command: "tessera grants", sentence: "List what pages may do:", line: "tessera grants",
      output: "wallet\\.example", preparation: granted),
    Example(
      command: "tessera grants list", sentence: "List the grants for a program:", line: "tessera grants list --json",
      output: #""granted""#, preparation: granted),
    Example(
      command: "tessera grants add", sentence: "Let a page read documents and sign:",
      line: "tessera grants add https://wallet.example=nfc,crypto"),
    Example(
      command: "tessera grants withdraw", sentence: "Withdraw one permission:",
      line: "tessera grants withdraw https://wallet.example crypto", output: "withdrawn", preparation: granted),
    Example(
      command: "tessera strings", sentence: "Print a text of the last update, without a network:",
      line: "tessera strings get home_title --publish-id pub_3f7a --offline", output: "home_title"),
    Example(
      command: "tessera strings get", sentence: "Print a text, or the given one if there is none:",
      line: """
        tessera strings get home_title --publish-id pub_3f7a --offline \\
          --value Welcome
        """, output: "Welcome"),
    Example(
      command: "tessera strings check", sentence: "Ask for new texts in one language:",
      line: "tessera strings check --publish-id pub_3f7a --locale de-AT", needs: "a network and a publish id"),
    Example(
      command: "tessera strings languages", sentence: "List the languages of the last update, without a network:",
      line: "tessera strings languages --publish-id pub_3f7a --offline", output: ""),
    Example(
      command: "tessera flow", sentence: "Check the document of a flow:", line: "tessera flow check welcome.json",
      output: "a flow with 1 screen", preparation: flow),
    Example(
      command: "tessera flow check", sentence: "Check the document of a flow, from standard input and for a program:",
      line: "tessera flow check - --json < welcome.json", output: #""valid" *: *true"#, preparation: flow),
    Example(
      command: "tessera flow run", sentence: "Show the sample, which reads the specimen on its last page:",
      line: "tessera flow run --virtual", needs: "a desktop"),
    Example(
      command: "tessera open", sentence: "Read and verify the specimen in a window:", line: "tessera open --virtual",
      needs: "a desktop"),
    Example(
      command: "tessera open", sentence: "Show another page, and print its result:",
      line: "tessera open https://wallet.example --request request.json --json", needs: "a desktop and a network"),
    Example(
      command: "tessera kiosk", sentence: "Try a kiosk with the specimen, with a folder of results:",
      line: "tessera kiosk --virtual --results ./results", needs: "a desktop"),
    Example(
      command: "tessera-window", sentence: "Read and verify the specimen in a window, as `tessera open` does:",
      line: "tessera-window --virtual", needs: "a desktop"),
  ]

  private static let stored = #"tessera call secureStorage.set '{"key": "a", "value": "b"}' --in-process > set.txt"#
  private static let granted = "tessera grants add https://wallet.example=nfc,crypto"
  private static let flow = #"echo '{"screens": [{"id": "a", "html": "Welcome"}]}' > welcome.json"#
}
