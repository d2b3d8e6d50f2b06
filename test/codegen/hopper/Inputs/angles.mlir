// Sine, cosine and exponential in float64, each result in two float32 parts.
!t = tensor<?xf32>
#id = affine_map<(i) -> (i)>
func.func @functions(%x: !t, %a: !t, %b: !t, %c: !t, %d: !t, %e: !t, %f: !t, %g: !t, %h: !t)
    -> (!t, !t, !t, !t, !t, !t, !t, !t) {
  %r:8 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : !t) outs(%a, %b, %c, %d, %e, %f, %g, %h : !t, !t, !t, !t, !t, !t, !t, !t) {
  ^bb0(%in: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32, %o6: f32, %o7: f32):
    %w = arith.extf %in : f32 to f64
    %sin = math.sin %w : f64
    %cos = math.cos %w : f64
    %exp = math.exp %w : f64
    %s0 = arith.truncf %sin : f64 to f32
    %s1 = arith.extf %s0 : f32 to f64
    %s2 = arith.subf %sin, %s1 : f64
    %s3 = arith.truncf %s2 : f64 to f32
    %c0 = arith.truncf %cos : f64 to f32
    %c1 = arith.extf %c0 : f32 to f64
    %c2 = arith.subf %cos, %c1 : f64
    %c3 = arith.truncf %c2 : f64 to f32
    %e0 = arith.truncf %exp : f64 to f32
    %e1 = arith.extf %e0 : f32 to f64
    %e2 = arith.subf %exp, %e1 : f64
    %e3 = arith.truncf %e2 : f64 to f32
    %expm1 = math.expm1 %w : f64
    %m0 = arith.truncf %expm1 : f64 to f32
    %m1 = arith.extf %m0 : f32 to f64
    %m2 = arith.subf %expm1, %m1 : f64
    %m3 = arith.truncf %m2 : f64 to f32
    linalg.yield %s0, %s3, %c0, %c3, %e0, %e3, %m0, %m3 : f32, f32, f32, f32, f32, f32, f32, f32
  } -> (!t, !t, !t, !t, !t, !t, !t, !t)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7 : !t, !t, !t, !t, !t, !t, !t, !t
}
