/// The style sheet of the page. All lengths follow the font size of the root, so that print scales the page as a whole.
enum Stylesheet {
  static let text: StaticString = """

    :root {
      color-scheme: light dark;
      --page: #eceff2; --sheet: #ffffff; --ink: #17212b; --soft: #55616d; --line: #d8dee4; --tint: #f5f7f9;
      --good: #0f6a3a; --good-tint: #e4f4ea; --bad: #a81919; --bad-tint: #fde9e8;
      --open: #7a4b00; --open-tint: #fdf1d6; --neutral: #55616d; --neutral-tint: #eef1f4;
      --small: .82rem; --tiny: .76rem;
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --page: #0d1217; --sheet: #161d25; --ink: #e7ecf1; --soft: #a4b1be; --line: #2d3843; --tint: #1c252e;
        --good: #74d99f; --good-tint: #10301f; --bad: #ff9d95; --bad-tint: #401818;
        --open: #f3c872; --open-tint: #372a0b; --neutral: #a4b1be; --neutral-tint: #242e38;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0; padding: 1.6rem 1rem; background: var(--page); color: var(--ink); }
    main {
      max-width: 64rem; margin: 0 auto; padding: 1.8rem 2.2rem 1.4rem; background: var(--sheet);
      border: 1px solid var(--line); border-radius: .8rem; overflow-wrap: anywhere;
    }
    h1, h2, h3, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
    ul, ol { list-style: none; }
    h1 { font-size: var(--small); font-weight: 600; letter-spacing: .08em; text-transform: uppercase; color: var(--soft); }
    h2 { font-size: 1.05rem; font-weight: 650; margin: 1.5rem 0 .55rem; }
    h3 { font-size: .88rem; font-weight: 650; }
    code, .mrz, .number { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
    code { font-size: var(--tiny); color: var(--soft); }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
    .good { --tone: var(--good); --tone-tint: var(--good-tint); }
    .bad { --tone: var(--bad); --tone-tint: var(--bad-tint); }
    .open { --tone: var(--open); --tone-tint: var(--open-tint); }
    .neutral { --tone: var(--neutral); --tone-tint: var(--neutral-tint); }
    .columns { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 2.2rem; }

    .top { display: flex; justify-content: space-between; gap: 1rem; margin-bottom: .8rem; }
    .top p { color: var(--soft); font-size: var(--small); }

    .verdict {
      display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 1.2rem; padding: 1.1rem 1.4rem;
      border: 1px solid var(--tone); border-left-width: .5rem; border-radius: .6rem;
      background: var(--tone-tint); color: var(--tone);
    }
    .mark {
      width: 3.2rem; height: 3.2rem; border-radius: 50%; background: var(--tone); color: var(--tone-tint);
      font-size: 1.9rem; line-height: 3.2rem; font-weight: 700; text-align: center;
    }
    .verdict h2 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; }
    .verdict .lead { font-size: 1.02rem; color: var(--ink); }
    .notes { margin-top: .45rem; font-size: .86rem; color: var(--ink); }
    .notes li { padding: .1rem 0; }
    .notes b { color: var(--tone); }

    .data-page { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: 1rem 1.6rem; margin-top: 1.4rem; }
    .portrait img {
      display: block; width: 100%; height: auto; max-height: 16rem; object-fit: contain; border-radius: .4rem;
      border: 1px solid var(--line); background: #ffffff;
    }
    .missing {
      border: 1px dashed var(--soft); border-radius: .4rem; padding: 1rem .7rem .7rem; text-align: center;
      color: var(--soft); background: var(--tint);
    }
    .person { width: 5.2rem; fill: var(--line); stroke: none; }
    figcaption { font-size: var(--tiny); color: var(--soft); margin-top: .2rem; }
    .data-foot { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .8rem 1.6rem; align-items: center; }
    .others { display: flex; gap: 1.2rem; }
    .small img {
      display: block; max-width: 100%; width: auto; height: 3.4rem; background: #ffffff;
      border: 1px solid var(--line); border-radius: .25rem; padding: .15rem;
    }
    dt { font-size: var(--tiny); color: var(--soft); line-height: 1.35; }
    dd { font-size: .93rem; }
    .names { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .4rem 1.2rem; margin-bottom: .9rem; }
    .names dd { font-size: 1.4rem; font-weight: 650; line-height: 1.25; letter-spacing: -.005em; }
    .names .script { font-size: 1.12rem; font-weight: 450; }
    .fields { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .55rem 1.2rem; }
    .fields .strong dd { font-weight: 650; }
    .more { grid-template-columns: repeat(5, minmax(0, 1fr)); }
    .mrz {
      flex: 1 1 auto; padding: .55rem 1rem; background: var(--tint); border: 1px solid var(--line);
      border-radius: .4rem; font-size: 1.12rem; letter-spacing: .16em; line-height: 1.5;
    }
    .mrz span { display: block; }

    main + main { margin-top: 1.6rem; break-before: page; }
    .seal-data .mrz { margin-bottom: .8rem; }
    .seal-data h3 { margin: .8rem 0 .2rem; }
    .bytes > div { grid-template-columns: 11rem minmax(0, 1fr); }

    .group { margin-bottom: .9rem; }
    .group h3 { padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
    .group small { font-weight: 400; color: var(--soft); font-size: var(--small); }
    .group li, .findings li {
      display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 .6rem; padding: .38rem 0;
      border-bottom: 1px solid var(--line);
    }
    .group li:last-child { border-bottom: 0; }
    .symbol {
      grid-row: span 2; width: 1.35rem; height: 1.35rem; border-radius: 50%; text-align: center; line-height: 1.35rem;
      font-size: .85rem; font-weight: 700; background: var(--tone-tint); color: var(--tone); margin-top: .05rem;
    }
    .group .bad .symbol { background: var(--bad); color: var(--bad-tint); }
    .title { display: flex; flex-wrap: wrap; gap: 0 .55rem; align-items: baseline; font-size: .88rem; }
    .title b { font-weight: 600; }
    .word { color: var(--tone); font-weight: 600; font-size: var(--small); }
    .detail { font-size: var(--small); color: var(--soft); line-height: 1.4; }
    .findings ul { border-top: 1px solid var(--line); }
    .findings .title code { color: var(--ink); font-size: var(--small); }

    .tag {
      margin-left: .4rem; padding: .1rem .6rem; border-radius: 1rem; font-size: var(--tiny); font-weight: 600;
      background: var(--tone-tint); color: var(--tone);
    }
    .chain ol { display: flex; align-items: stretch; flex-wrap: wrap; gap: .6rem 0; }
    .box {
      flex: 1 1 12rem; min-width: 0; padding: .65rem .8rem; border: 1px solid var(--line); border-radius: .5rem;
      background: var(--tint); font-size: var(--small);
    }
    .box .subject { color: var(--soft); font-size: var(--tiny); margin-bottom: .3rem; line-height: 1.35; }
    .box dl > div, .rows > div { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: .5rem; }
    .box dd { font-size: var(--small); line-height: 1.35; }
    .gap { border-style: dashed; border-color: var(--soft); background: none; color: var(--soft); flex-grow: .7; }
    .gap h3 { color: var(--ink); }
    .connection {
      flex: 0 0 5.4rem; white-space: nowrap; display: flex; flex-direction: column; align-items: center; justify-content: center;
      font-size: var(--tiny); color: var(--soft); text-align: center;
    }
    .arrow { width: 2.6rem; }
    .broken { color: var(--bad); font-weight: 600; }
    .whole { white-space: nowrap; }

    .technical { grid-template-columns: minmax(0, 1.45fr) minmax(0, 1fr); }
    table { width: 100%; border-collapse: collapse; font-size: var(--small); }
    th { text-align: left; font-weight: 600; }
    thead th { color: var(--soft); font-size: var(--tiny); font-weight: 500; }
    th, td { padding: .16rem .8rem .16rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
    th:last-child, td:last-child { padding-right: 0; }
    thead th:nth-child(2), .number { text-align: right; }
    td.good, td.bad, td.neutral { color: var(--tone); }
    .rows dd { font-size: var(--small); }
    .rows dt { padding-top: .1rem; }
    .rows > div { padding: .1rem 0; }

    footer { margin-top: 1.4rem; padding-top: .7rem; border-top: 1px solid var(--line); }
    footer dl { display: flex; flex-wrap: wrap; gap: .3rem 2.2rem; }
    footer dl > div { display: flex; gap: .5rem; align-items: baseline; }
    footer dd { font-size: var(--small); }
    footer p { margin-top: .3rem; font-size: var(--tiny); color: var(--soft); }

    @media screen and (max-width: 46rem) {
      main { padding: 1.1rem; }
      .columns, .data-page, .technical { grid-template-columns: minmax(0, 1fr); }
      .portrait { max-width: 11.5rem; }
      .names { grid-template-columns: minmax(0, 1fr); }
      .fields, .more { grid-template-columns: repeat(2, minmax(0, 1fr)); }
      .mrz { font-size: min(1rem, 2.5vw); letter-spacing: 0; padding: .5rem; }
      .chain ol { flex-direction: column; }
      .box, .connection { flex: none; }
      .arrow { transform: rotate(90deg); margin: .5rem 0; }
      .files { overflow-x: auto; }
      td, th { white-space: normal; }
    }

    @page { size: A4; margin: 9mm 10mm; }
    @media print {
      :root {
        --small: .86rem; --tiny: .8rem;
        color-scheme: light; font-size: 7.8pt; line-height: 1.3; print-color-adjust: exact;
      }
      :root:has(.crowded) { font-size: 7pt; }
      body, main { padding: 0; background: none; border: 0; max-width: none; }
      h2 { margin: .8rem 0 .3rem; }
      .data-page { margin-top: .8rem; gap: .7rem 1.4rem; grid-template-columns: 10.5rem minmax(0, 1fr); }
      .fields { gap: .3rem 1.2rem; }
      .names { margin-bottom: .5rem; }
      .mrz { padding: .3rem 1rem; line-height: 1.35; }
      .portrait img { max-height: 13.5rem; }
      .small img { height: 2.6rem; }
      .verdict { padding: .8rem 1.2rem; }
      .group { margin-bottom: .4rem; }
      .group li, .findings li { padding: .18rem 0; break-inside: avoid; }
      .detail { line-height: 1.3; }
      .box { padding: .4rem .6rem; }
      table { line-height: 1.25; }
      th, td { padding-top: .04rem; padding-bottom: .04rem; }
      .technical h2 { margin-top: .6rem; }
      footer { margin-top: .7rem; padding-top: .4rem; }
    }

    """
}
