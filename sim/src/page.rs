//! Pages whose tables are made of records: each part stands between `<!-- name -->` and
//! `<!-- end -->`.

/// The page with these parts, by name, made anew.
///
/// # Errors
/// The marker that is missing.
pub fn renewed(page: &str, parts: Vec<(&'static str, String)>) -> Result<String, String> {
    let mut page = page.to_owned();
    for (name, part) in parts {
        let (from, to) = (format!("<!-- {name} -->\n"), "<!-- end -->");
        let start =
            page.find(&from).ok_or_else(|| format!("the page has no line `{}`; add it, and `{to}` behind", from.trim()))? + from.len();
        let end = page[start..].find(to).ok_or_else(|| format!("the page has no `{to}` behind `{}`", from.trim()))? + start;
        page.replace_range(start..end, &part);
    }
    Ok(page)
}
