//! Imports run one way: no files of a crate import each other in a circle.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::Visit;
use timely_tools::process::root;

/// A module's place in its crate.
type Module = Vec<String>;
/// The imports of each file of a crate.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// Folders of crates' sources.
const CRATES: [&str; 19] = [
    "driver/src",
    "driver/src/transport/xdp/src",
    "hw/src",
    "hw/formal/src",
    "hw/model/src",
    "hw/regs/src",
    "hw/text/src",
    "sim/src",
    "sim/network/src",
    "sim/verilate/src",
    "tests/src",
    "tests/fuzz/src",
    "xtask/src",
    "xtask/flow/src",
    "xtask/machine/src",
    "xtask/machine/guest/src",
    "xtask/mutate/src",
    "xtask/tools/src",
    "driver/src/bin/timelyctl",
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        match path.file_name().and_then(|n| n.to_str()) {
            // Programs beside the library are crates of their own.
            Some("bin") => {}
            _ if path.is_dir() => sources(&path, into),
            Some(name) if name.ends_with(".rs") => into.push(path),
            _ => {}
        }
    }
}

fn module(folder: &Path, file: &Path) -> Module {
    let inside = file.strip_prefix(folder).expect("inside").with_extension("");
    let mut parts: Module = inside.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|p| p == "mod") || parts == ["lib"] || parts == ["main"] {
        parts.pop();
    }
    parts
}

/// Collects the paths of a file that begin with `crate`, `self` or `super`.
struct Paths {
    here: Module,
    found: Vec<Module>,
}

impl Paths {
    fn add(&mut self, path: &[String]) {
        let mut parts = path.iter().map(String::as_str).peekable();
        let mut at = match parts.next() {
            Some("crate") => Vec::new(),
            Some("self") => self.here.clone(),
            Some("super") => self.here[..self.here.len().saturating_sub(1)].to_vec(),
            _ => return,
        };
        while parts.next_if_eq(&"super").is_some() {
            at.pop();
        }
        at.extend(parts.map(str::to_owned));
        self.found.push(at);
    }

    fn tree(&mut self, before: &mut Vec<String>, tree: &syn::UseTree) {
        let depth = before.len();
        match tree {
            syn::UseTree::Path(p) => {
                before.push(p.ident.to_string());
                self.tree(before, &p.tree);
            }
            syn::UseTree::Group(g) => g.items.iter().for_each(|t| self.tree(before, t)),
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Name(n) if n.ident == "self" => self.add(before),
            syn::UseTree::Name(syn::UseName { ident }) | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
                before.push(ident.to_string());
                self.add(before);
            }
        }
        before.truncate(depth);
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_mod(&mut self, m: &'a syn::ItemMod) {
        // Tests see what they like; a module inside a file is a part of it.
        if m.ident != "tests" {
            syn::visit::visit_item_mod(self, m);
        }
    }

    fn visit_item_use(&mut self, u: &'a syn::ItemUse) {
        self.tree(&mut Vec::new(), &u.tree);
    }

    fn visit_macro(&mut self, m: &'a syn::Macro) {
        // A macro's tokens are no syntax yet: words, with `::` between those of a path.
        let text = m.tokens.to_string().replace("::", " :: ");
        let words: Vec<&str> = text.split_whitespace().collect();
        for (i, _) in words.iter().enumerate().filter(|(_, w)| ["crate", "self", "super"].contains(w)) {
            let more = words[i + 1..].chunks(2).take_while(|pair| pair.len() == 2 && pair[0] == "::").map(|pair| pair[1].to_owned());
            self.add(&std::iter::once(words[i].to_owned()).chain(more).collect::<Vec<_>>());
        }
        syn::visit::visit_macro(self, m);
    }

    fn visit_path(&mut self, p: &'a syn::Path) {
        if p.segments.len() > 1 {
            self.add(&p.segments.iter().map(|s| s.ident.to_string()).collect::<Vec<_>>());
        }
        syn::visit::visit_path(self, p);
    }
}

fn graph(folder: &Path) -> Graph {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let modules: BTreeSet<Module> = files.iter().map(|f| module(folder, f)).collect();
    let imports = |file: &PathBuf| {
        let here = module(folder, file);
        let text = fs::read_to_string(file).expect("a file");
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let mut paths = Paths { here: here.clone(), found: Vec::new() };
        paths.visit_file(&parsed);
        // A path names a file, and what is in it; the crate's root joins all and is no part of a
        // circle.
        let file_of = |path: &Module| (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|m| modules.contains(m));
        (here.clone(), paths.found.iter().filter_map(file_of).filter(|m| *m != here).collect())
    };
    files.iter().map(imports).collect()
}

/// A way from a file back to it, by the fewest imports.
fn circle(graph: &Graph, from: &Module) -> Option<Vec<Module>> {
    let mut ways = vec![vec![from.clone()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in graph.get(way.last()?).into_iter().flatten() {
                if next == from {
                    return Some(way);
                }
                if seen.insert(next.clone()) {
                    longer.push([&way[..], std::slice::from_ref(next)].concat());
                }
            }
        }
        ways = longer;
    }
    None
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut found = Vec::new();
    for name in CRATES {
        let graph = graph(&root().join(name));
        let mut files = Vec::new();
        sources(&root().join(name), &mut files);
        assert!(files.len() == 1 || (graph.len() > 1 && graph.values().any(|i| !i.is_empty())), "{name}: no imports were read");
        let mut told = BTreeSet::new();
        for from in graph.keys() {
            if let Some(way) = circle(&graph, from)
                && told.insert(way.iter().cloned().collect::<BTreeSet<_>>())
            {
                let names: Vec<String> = way.iter().map(|m| m.join("::")).collect();
                found.push(format!("{name}: {} -> {}", names.join(" -> "), names[0]));
            }
        }
    }
    assert!(found.is_empty(), "files that import each other:\n{}", found.join("\n"));
}

/// Each crate of the workspace is looked at.
#[test]
fn every_crate_is_looked_at() {
    let text = fs::read_to_string(root().join("Cargo.toml")).expect("a file");
    let members = text.lines().find_map(|l| l.strip_prefix("members = [")).expect("a list");
    for member in members.trim_end_matches(']').split(',').map(|m| m.trim().trim_matches('"')) {
        assert!(CRATES.contains(&format!("{member}/src").as_str()), "{member} is not in the list");
    }
}

/// Words that stand for the subject of a sentence that a reader may not have seen.
const STAND_INS: [&str; 12] = ["It", "Its", "They", "Their", "What", "Who", "Whose", "Those", "That", "This", "These", "Which"];

/// A line of documentation is read by itself, in a list of ports or fields: it begins with the
/// thing of the design that it is about.
#[test]
fn doc_lines_name_their_subject() {
    let mut found = Vec::new();
    let tests = [
        "driver/tests",
        "hw/formal/tests",
        "hw/model/tests",
        "hw/regs/tests",
        "hw/text/tests",
        "hw/tests",
        "sim/tests",
        "sim/verilate/tests",
        "tests/tests",
        "tests/fuzz/tests",
        "driver/src/bin",
    ];
    let mut lines = 0;
    for folder in CRATES.iter().chain(&tests).map(|f| root().join(f)).filter(|f| f.is_dir()) {
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("a file");
            for (n, line) in (1..).zip(text.lines()) {
                let Some(said) = line.trim_start().strip_prefix("///").or_else(|| line.trim_start().strip_prefix("//!")) else { continue };
                lines += 1;
                let first = said.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                if STAND_INS.contains(&first) {
                    found.push(format!("{}:{n}:{said}", file.display()));
                }
            }
        }
    }
    assert!(lines > 10_000, "{lines} lines of documentation: is everything looked at?");
    assert!(found.is_empty(), "lines that begin with a stand-in for their subject:\n{}", found.join("\n"));
}

/// Pages of the repository, their texts beside them.
fn pages() -> Vec<(PathBuf, String)> {
    let mut all: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|n| root().join(n)).to_vec();
    for folder in ["docs", "bitstreams"] {
        let entries = fs::read_dir(root().join(folder)).expect("a folder").map(|e| e.expect("an entry").path());
        all.extend(entries.filter(|p| p.extension().is_some_and(|e| e == "md")));
    }
    all.sort();
    all.into_iter().map(|p| (p.clone(), fs::read_to_string(p).expect("a page"))).collect()
}

/// The anchor of a heading, as it is shown on the web.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Targets of the links of a text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// A link between pages leads to a file that is there, and to a heading that it has.
#[test]
fn links_between_pages_lead_somewhere() {
    let (pages, mut found, mut followed) = (pages(), Vec::new(), 0);
    for (path, text) in &pages {
        let folder = path.parent().expect("a folder");
        for link in links(text).filter(|l| !l.contains("://")) {
            followed += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { folder.join(file) };
            let there = target.canonicalize().is_ok_and(|t| {
                let text = if heading.is_empty() { String::new() } else { fs::read_to_string(t).unwrap_or_default() };
                heading.is_empty() || text.lines().any(|l| l.starts_with('#') && anchor(l.trim_start_matches('#').trim()) == heading)
            });
            if !there {
                found.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(followed > 100, "{followed} links: is every page read?");
    assert!(found.is_empty(), "links that lead nowhere:\n{}", found.join("\n"));
}

/// A term of the glossary is defined where it says: the file is there and has the names.
#[test]
fn glossary_names_are_in_their_files() {
    let text = fs::read_to_string(root().join("docs/glossary.md")).expect("a page");
    let (mut found, mut terms) = (Vec::new(), Vec::new());
    for row in text.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| term ")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [term, _, place] = cells[..] else { panic!("not three cells: {row}") };
        terms.push(term.to_lowercase());
        let names: Vec<&str> = place.split('`').skip(1).step_by(2).collect();
        let [file, names @ ..] = &names[..] else { panic!("no file: {row}") };
        let source = fs::read_to_string(root().join(file)).unwrap_or_default();
        let words: BTreeSet<&str> = source.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        found.extend(names.iter().filter(|n| !words.contains(*n)).map(|n| format!("{term}: no `{n}` in {file}")));
        assert!(!names.is_empty(), "no name: {row}");
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(terms.len() > 60 && terms.is_sorted(), "terms are not in order");
}

/// Characters of a line of comment.
const COMMENT_WIDTH: usize = 100;

/// Lines of comment are read as prose, in editors and in differences side by side: they are
/// short. Rows of tables stay whole.
#[test]
fn comments_are_short() {
    let (mut found, mut lines) = (Vec::new(), 0);
    for name in CRATES.iter().filter_map(|c| c.strip_suffix("/src")) {
        for part in ["src", "tests", "examples"] {
            let folder = root().join(name).join(part);
            let mut files = Vec::new();
            if folder.is_dir() {
                sources(&folder, &mut files);
            }
            for file in files {
                let text = fs::read_to_string(&file).expect("a file");
                for (n, line) in (1..).zip(text.lines()) {
                    let Some(said) = line.trim_start().strip_prefix("//") else { continue };
                    lines += 1;
                    let row = said.trim_start_matches(['/', '!', ' ']).starts_with('|');
                    if line.chars().count() > COMMENT_WIDTH && !row {
                        found.push(format!("{}:{n}: {} characters", file.display(), line.chars().count()));
                    }
                }
            }
        }
    }
    assert!(lines > 5_000, "{lines} lines of comment: is everything looked at?");
    assert!(found.is_empty(), "comments beyond {COMMENT_WIDTH} characters:\n{}", found.join("\n"));
}
